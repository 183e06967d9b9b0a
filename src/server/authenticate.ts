import type { Enter } from '../../rest/mount.ts'
import { authenticate } from '../callers/authenticate.ts'
import type { Parts } from '../context/context.ts'
import { whileConnected } from '../http/client-disconnect.ts'
import type { RateLimit } from './rate-limit.ts'

const BEARER = /^Bearer +(\S+) *$/i

/** The API key in an Authorization header, or undefined. */
export const bearerOf = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : BEARER.exec(header)?.[1]

/** Answers to a key are private, and tell what is left of its quota. */
export const createEnter =
  (parts: Pick<Parts, 'db'>, rateLimit: RateLimit): Enter =>
  async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const db = whileConnected(parts.db, reply.raw)
    const actor = await authenticate({ db }, bearerOf(request.headers.authorization))
    const { headers, refusal } = rateLimit.count(actor.apiKeyId)
    reply.headers(headers)
    if (refusal !== null) throw refusal
    return actor
  }
