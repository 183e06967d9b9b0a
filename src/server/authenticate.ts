import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../../rest/authorize.ts'
import { type AccountHolder, type AnonymousActor, callerOf, type KeyActor, type SessionActor } from '../access/actor.ts'
import { type AuthenticationParts, authenticate, authenticateSession } from '../callers/authenticate.ts'
import { callerGone } from '../db/cancellable-client.ts'
import { ServiceError, unauthorized } from '../errors/service-error.ts'
import type { SessionCookie } from '../graphql/builder.ts'
import type { Authentication } from '../graphql/http/answer.ts'
import { hasLeft } from '../http/client-disconnect.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { readCookie, writeCookie } from './cookies.ts'
import type { RateLimit } from './rate-limit.ts'

const BEARER = /^Bearer +(\S+) *$/i
const ANONYMOUS: AnonymousActor = { kind: 'anonymous' }
const SESSION_STATE = 'x-sonant-session'
const NAME = 'sonant_session'

const bearerOf = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : BEARER.exec(header)?.[1]

/** Authenticates requests by their API key and adds the headers of the key's remaining quota. */
export const createAuthenticate =
  (parts: AuthenticationParts, rateLimit: RateLimit): Authenticate =>
  async (request, reply, key = bearerOf(request.headers.authorization)) => {
    reply.header('cache-control', 'no-store')
    const isOver = () => hasLeft(reply.raw)
    const actor = await authenticate(parts, key, isOver)
    if (isOver()) throw callerGone()
    const { headers, error } = rateLimit.count(actor.apiKeyId)
    reply.headers(headers)
    if (error !== null) throw error
    return actor
  }

/** Identifies a caller of a WebSocket by its API key, and counts a request. */
export const createKeyIdentification =
  (parts: AuthenticationParts, rateLimit: RateLimit) =>
  async (key: string | undefined): Promise<KeyActor> => {
    const actor = await authenticate(parts, key)
    const { error } = rateLimit.count(actor.apiKeyId)
    if (error !== null) throw error
    return actor
  }

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

const readSessionCookie = (request: FastifyRequest, publicUrl: string): string | undefined =>
  readCookie(request, publicUrl, NAME)

export function sessionCookie(reply: FastifyReply, publicUrl: string): SessionCookie {
  const write = (value: string, expires: Date) => writeCookie(reply, publicUrl, { name: NAME, value, expires })
  return {
    set: write,
    clear: () => write('', new Date(0)),
    rejectForeign: () => {
      if (isForeignPage(reply.request, publicUrl)) throw foreignOrigin()
    },
  }
}

/** Security: no page can forge Origin, so it proves that this service's page sent the request. */
function isOwnOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin === undefined) return site === 'same-origin'
  return isOurs(origin, request, publicUrl)
}

/** Browsers send no Origin with links. They send Sec-Fetch-Site to https and loopback only; on plain http the Referer decides. */
export function isLinkOfOwnPage(request: FastifyRequest, publicUrl: string): boolean {
  const { referer, 'sec-fetch-site': site } = request.headers
  if (site !== undefined) return site === 'same-origin'
  return referer !== undefined && URL.canParse(referer) && isOurs(new URL(referer).origin, request, publicUrl)
}

function isForeignPage(request: FastifyRequest, publicUrl: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers
  const isFromBrowser = origin !== undefined || (site !== undefined && site !== 'none')
  return isFromBrowser && !isOwnOrigin(request, publicUrl)
}

const isOurs = (origin: string, request: FastifyRequest, publicUrl: string): boolean =>
  origin === new URL(publicUrl).origin || origin === addressedOrigin(request, publicUrl)

function addressedOrigin({ protocol, host }: FastifyRequest, publicUrl: string): string | undefined {
  const address = `${publicUrl.startsWith('https:') ? 'https' : protocol}://${host}`
  return URL.canParse(address) ? new URL(address).origin : undefined
}

export const foreignOrigin = (): ServiceError =>
  new ServiceError('FORBIDDEN', 'Cross-site requests with a session cookie are rejected: send an API key instead.')
