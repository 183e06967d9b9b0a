import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describeError, errorHeaders, toServiceError } from '../errors/describe-error.ts'
import type { ErrorCode, ServiceError } from '../errors/service-error.ts'
import type { Log } from '../values/log.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

const STREAM_HEADERS = ['content-encoding', 'content-disposition', 'vary']

/** The body of every error. */
export const errorBody = ({ message, code, details }: ServiceError): string =>
  JSON.stringify({
    error: message,
    error_code: code,
    ...(code === 'INVALID_REQUEST' && details?.length ? { details } : {}),
  })

/** Every error that a route or a hook throws leaves as the documented pair. */
export function mountErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = toServiceError(error)
    // The statements of a disconnected caller were cancelled: it gets no answer.
    if (!(refusal.code === 'UNAVAILABLE' && reply.raw.destroyed)) logTrouble(log, refusal, error, request)
    return sendError(reply, refusal)
  })
}

/** Sends a refusal. Works in routes, hooks and fastify's own early errors, which run no hook. */
export function sendError(reply: FastifyReply, refusal: ServiceError): FastifyReply {
  // Fastify closes the connection after a refused body; node drains what is left of it, so the connection can live on.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  // Said of a stream that failed before its first byte.
  for (const name of STREAM_HEADERS) reply.removeHeader(name)
  return reply
    .code(refusal.status)
    .header(REQUEST_ID_HEADER, reply.request.id)
    .headers(errorHeaders(refusal))
    .send(errorBody(refusal))
}

const LOGGED: Partial<Record<ErrorCode, 'error' | 'warn'>> = { INTERNAL_ERROR: 'error', UNAVAILABLE: 'warn' }

function logTrouble(log: Log, refusal: ServiceError, error: unknown, request: FastifyRequest): void {
  const level = LOGGED[refusal.code]
  if (level === undefined) return
  log[level](
    { requestId: request.id, method: request.method, route: request.routeOptions.url, ...describeError(error) },
    'a request failed',
  )
}
