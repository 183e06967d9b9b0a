import type { Authenticate } from '../../rest/authorize.ts'
import { type AuthenticationParts, authenticate } from '../callers/authenticate.ts'
import { callerGone } from '../db/cancellable-client.ts'
import { hasLeft } from '../http/client-disconnect.ts'
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
    // Not by a database of this request's own: its key would be looked up alone.
    const isOver = () => hasLeft(reply.raw)
    const actor = await authenticate(parts, bearerOf(request.headers.authorization), isOver)
    if (isOver()) throw callerGone()
    const { headers, error } = rateLimit.count(actor.apiKeyId)
    reply.headers(headers)
    if (error !== null) throw error
    return actor
  }
