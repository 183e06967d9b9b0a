import type { FastifyInstance, FastifyReply } from 'fastify'
import { errorHeaders, toServiceError } from '../errors/describe-error.ts'
import type { ServiceError } from '../errors/service-error.ts'
import { logFailure } from '../http/log-failure.ts'
import type { Log } from '../values/log.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

const STREAM_HEADERS = [
  'content-encoding',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'last-modified',
  'vary',
]

/** The body of every error. */
export const errorBody = ({ message, code, details }: ServiceError): string =>
  JSON.stringify({
    error: message,
    error_code: code,
    ...(code === 'INVALID_REQUEST' && details?.length ? { details } : {}),
  })

/** Every error that a route or a hook throws leaves as the documented pair. */
export function mountErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toServiceError(thrown)
    logFailure(log, error.code, thrown, { request, response: reply.raw })
    return sendError(reply, error)
  })
}

/** Sends an error. Works in routes and hooks. */
export function sendError(reply: FastifyReply, error: ServiceError): FastifyReply {
  // Fastify closes the connection after a rejected body; node drains what is left of it, so the connection can live on.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  // Said of a stream that failed before its first byte.
  for (const name of STREAM_HEADERS) reply.removeHeader(name)
  if (reply.hasHeader('etag')) reply.removeHeader('etag').header('cache-control', 'no-store')
  return reply
    .code(error.status)
    .header(REQUEST_ID_HEADER, reply.request.id)
    .headers(errorHeaders(error))
    .send(errorBody(error))
}
