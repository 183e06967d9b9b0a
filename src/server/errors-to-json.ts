import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { errorHeaders, toServiceError } from '../errors/describe-error.ts'
import type { ServiceError } from '../errors/service-error.ts'
import { logFailure } from '../http/client-disconnect.ts'
import type { Log } from '../values/log.ts'

const STREAM_HEADERS = [
  'content-encoding',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'last-modified',
  'vary',
]

export const REQUEST_ID_HEADER = 'x-request-id'

const VALID = /^[A-Za-z0-9._-]{1,128}$/

export const errorBody = ({ message, code, details }: ServiceError): string =>
  JSON.stringify({
    error: message,
    error_code: code,
    ...(code === 'INVALID_REQUEST' && details?.length ? { details } : {}),
  })

export function mountErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toServiceError(thrown)
    logFailure(log, error.code, thrown, { request, response: reply.raw })
    return sendError(reply, error)
  })
}

export function sendError(reply: FastifyReply, error: ServiceError): FastifyReply {
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  for (const name of STREAM_HEADERS) reply.removeHeader(name)
  if (reply.hasHeader('etag')) reply.removeHeader('etag').header('cache-control', 'no-store')
  return reply
    .code(error.status)
    .header(REQUEST_ID_HEADER, reply.request.id)
    .headers(errorHeaders(error))
    .send(errorBody(error))
}

export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers[REQUEST_ID_HEADER]
  return typeof given === 'string' && VALID.test(given) ? given : randomUUID()
}
