import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SAFETY_HEADERS } from '../http/headers.ts'
import { REQUEST_ID_HEADER } from './errors-to-json.ts'

const EVERY_ORIGIN = '*'
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const EXPOSED = [
  ...['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'location', 'etag', 'allow', 'www-authenticate'],
  ...['idempotency-replayed', 'content-disposition', 'content-length', 'content-range', 'accept-ranges'],
  ...['x-sonant-time', 'x-sonant-next-cursor', 'x-sonant-complete-before'],
].join(', ')
const MAX_AGE_SECONDS = '7200'

/**
 * Lets pages of these origins call the service with a key, never with a session: no answer allows credentials.
 * It answers a preflight before routing, so the answer does not reveal which paths exist.
 */
export function mountCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return
  const allow = createAllow(origins)
  const expose = createExpose(origins)
  app.addHook('onRequest', async (request, reply) => {
    if (!isPreflight(request) || !allow(request, reply)) return
    reply.header(REQUEST_ID_HEADER, request.id).headers(SAFETY_HEADERS).headers(permissions(request))
    return reply.code(204).send()
  })
  app.addHook('onSend', async (request, reply) => expose(request, reply))
}

export function createExpose(origins: readonly string[]): (request: FastifyRequest, reply: FastifyReply) => void {
  const allow = createAllow(origins)
  return (request, reply) => {
    if (origins.length === 0 || reply.hasHeader('access-control-allow-origin')) return
    if (allow(request, reply)) reply.header('access-control-expose-headers', EXPOSED)
  }
}

function createAllow(origins: readonly string[]): (request: FastifyRequest, reply: FastifyReply) => boolean {
  const allowed = new Set(origins)
  const isForAll = allowed.has(EVERY_ORIGIN)
  return ({ headers: { origin } }, reply) => {
    if (!isForAll) vary(reply, 'Origin')
    const isAllowed = origin !== undefined && (isForAll || allowed.has(origin))
    if (isAllowed) reply.header('access-control-allow-origin', isForAll ? EVERY_ORIGIN : origin)
    return isAllowed
  }
}

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

function permissions({ headers }: FastifyRequest): Record<string, string> {
  const asked = headers['access-control-request-headers']
  return {
    'access-control-allow-methods': METHODS,
    'access-control-max-age': MAX_AGE_SECONDS,
    // Custom headers do no harm without a cookie.
    ...(asked !== undefined && { 'access-control-allow-headers': asked }),
  }
}

function vary(reply: FastifyReply, name: string): void {
  const known = reply.getHeader('vary')
  reply.header('vary', known === undefined ? name : `${known}, ${name}`)
}
