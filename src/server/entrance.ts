import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Enter } from '../../rest/mount.ts'
import { type AccountHolder, type AnonymousActor, callerOf, type SessionActor } from '../access/actor.ts'
import { authenticate } from '../callers/authenticate.ts'
import { authenticateSession } from '../callers/authenticate-session.ts'
import { unauthorized } from '../errors/service-error.ts'
import type { Entrance } from '../graphql/http/yoga.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { bearerOf } from './authenticate.ts'
import type { RateLimit } from './rate-limit.ts'
import { foreignOrigin, isOwnOrigin, readSessionCookie, sessionCookie } from './session-cookie.ts'

const ANONYMOUS: AnonymousActor = { kind: 'anonymous' }

/** How callers come in to GraphQL: with a key, with a user's session cookie, or unauthenticated. */
export function createEntrance(runtime: Runtime, enter: Enter, rateLimit: RateLimit): Entrance {
  const signedIn = async (request: FastifyRequest): Promise<SessionActor | null> => {
    const token = readSessionCookie(request, runtime.publicUrl)
    if (token === undefined) return null
    // A link from elsewhere may lead to a query: a browser sends no Origin with it. What changes something must be known to be our own.
    const isLink = request.method === 'GET' && !request.ws && request.headers.origin === undefined
    if (!isLink && !isOwnOrigin(request, runtime.publicUrl)) throw foreignOrigin()
    return authenticateSession(runtime, token)
  }
  const admit = async (caller: AccountHolder, reply: FastifyReply | null): Promise<void> => {
    const { headers, refusal } = rateLimit.count(callerOf(caller))
    reply?.headers(headers)
    if (refusal !== null) throw refusal
  }
  return {
    // A bad key is refused rather than demoted. A cookie that has expired is no violation of the caller's.
    enter: async (request, reply) => {
      if (request.headers.authorization !== undefined) return enter(request, reply)
      const session = await signedIn(request)
      if (session === null) return ANONYMOUS
      reply.header('cache-control', 'no-store')
      await admit(session, reply)
      return session
    },
    identify: async (request, authorization) => {
      const caller =
        authorization === undefined ? await signedIn(request) : await authenticate(runtime, bearerOf(authorization))
      if (caller === null) throw unauthorized()
      await admit(caller, null)
      return caller
    },
    cookieFor: (reply) => sessionCookie(reply, runtime.publicUrl),
  }
}
