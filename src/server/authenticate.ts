import type { Authenticate } from '../../rest/authorize.ts'
import { type AuthenticationParts, authenticate } from '../callers/authenticate.ts'
import { whileConnected } from '../http/client-disconnect.ts'
import type { RateLimit } from './rate-limit.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** The API key in an Authorization header, or undefined. */
export const bearerOf = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : BEARER.exec(header)?.[1]

/** Authenticates requests by their API key. Answers to a key are private, and say what is left of its quota. */
export const createAuthenticate =
  (parts: AuthenticationParts, rateLimit: RateLimit): Authenticate =>
  async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const db = whileConnected(parts.db, reply.raw)
    const actor = await authenticate({ db, keyUses: parts.keyUses }, bearerOf(request.headers.authorization))
    const { headers, error } = rateLimit.count(actor.apiKeyId)
    reply.headers(headers)
    if (error !== null) throw error
    return actor
  }
