import type { Authenticate } from '../../rest/authorize.ts'
import { type AuthenticationParts, authenticate } from '../callers/authenticate.ts'
import { callerGone } from '../db/cancellable-client.ts'
import { hasLeft } from '../http/client-disconnect.ts'
import type { RateLimit } from './rate-limit.ts'

const BEARER = /^Bearer +(\S+) *$/i

export const bearerOf = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : BEARER.exec(header)?.[1]

/** Authenticates requests by their API key and adds the headers of the key's remaining quota. */
export const createAuthenticate =
  (parts: AuthenticationParts, rateLimit: RateLimit): Authenticate =>
  async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const isOver = () => hasLeft(reply.raw)
    const actor = await authenticate(parts, bearerOf(request.headers.authorization), isOver)
    if (isOver()) throw callerGone()
    const { headers, error } = rateLimit.count(actor.apiKeyId)
    reply.headers(headers)
    if (error !== null) throw error
    return actor
  }
