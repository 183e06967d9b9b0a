import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../../rest/authorize.ts'
import { type AccountHolder, type AnonymousActor, callerOf, type SessionActor } from '../access/actor.ts'
import { authenticate } from '../callers/authenticate.ts'
import { authenticateSession } from '../callers/authenticate-session.ts'
import { ServiceError, unauthorized } from '../errors/service-error.ts'
import type { Authentication } from '../graphql/http/authentication.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { bearerOf } from './authenticate.ts'
import type { RateLimit } from './rate-limit.ts'
import { foreignOrigin, isOwnOrigin, readSessionCookie, sessionCookie } from './session-cookie.ts'

const ANONYMOUS: AnonymousActor = { kind: 'anonymous' }
const SESSION_STATE = 'x-sonant-session'

/** Authenticates GraphQL callers by an API key or a session cookie; others are anonymous. */
export function createGraphqlAuthentication(
  runtime: Runtime,
  authenticateKey: Authenticate,
  rateLimit: RateLimit,
): Authentication {
  const countRequest = async (caller: AccountHolder, reply: FastifyReply | null): Promise<void> => {
    const { headers, error } = rateLimit.count(callerOf(caller))
    reply?.headers(headers)
    if (error !== null) throw error
  }
  return {
    // A bad key is an error, an expired cookie is not.
    authenticate: async (request, reply) => {
      if (request.headers.authorization !== undefined) return authenticateKey(request, reply)
      const session = await findSession(runtime, request)
      if (session === null) return ANONYMOUS
      reply.header('cache-control', 'no-store')
      if (session === 'expired') {
        reply.header(SESSION_STATE, session)
        return ANONYMOUS
      }
      await countRequest(session, reply)
      return session
    },
    identify: async (request, authorization) => {
      if (authorization !== undefined && !mayOpenSocket(request, runtime)) throw unlistedOrigin()
      const caller =
        authorization === undefined
          ? await findSession(runtime, request)
          : await authenticate(runtime, bearerOf(authorization))
      if (caller === null || caller === 'expired') throw unauthorized()
      await countRequest(caller, null)
      return caller
    },
    cookieFor: (reply) => sessionCookie(reply, runtime.publicUrl),
  }
}

async function findSession(runtime: Runtime, request: FastifyRequest): Promise<SessionActor | 'expired' | null> {
  const token = readSessionCookie(request, runtime.publicUrl)
  if (token === undefined) return null
  // Security: a browser sends no Origin with a link, so a GET may only query. Everything else must prove its origin.
  const isLink = request.method === 'GET' && !request.ws && request.headers.origin === undefined
  if (!isLink && !isOwnOrigin(request, runtime.publicUrl)) throw foreignOrigin()
  return authenticateSession(runtime, token)
}

/** Security: browsers do not apply CORS to WebSockets, so the server checks the origin itself. */
function mayOpenSocket(request: FastifyRequest, { settings, publicUrl }: Runtime): boolean {
  const { origin } = request.headers
  const isListed = ['*', origin].some((one) => one !== undefined && settings.corsOrigins.includes(one))
  return origin === undefined || isListed || isOwnOrigin(request, publicUrl)
}

const unlistedOrigin = () =>
  new ServiceError('FORBIDDEN', 'Pages of origins that CORS_ORIGINS does not list may not call the service.')
