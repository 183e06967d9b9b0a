import type { FastifyReply } from 'fastify'
import { errorHeaders } from '../../errors/describe-error.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { MAX_GRAPHQL_BODY_BYTES } from '../limits/limits.ts'
import { extensionsOf } from './errors.ts'

export const ownLimit = (error: ServiceError): ServiceError =>
  error.code === 'PAYLOAD_TOO_LARGE'
    ? new ServiceError(error.code, `Send a body of at most ${MAX_GRAPHQL_BODY_BYTES / 1024} KiB.`)
    : error

/** Answers a request whose operation never runs, in the form that GraphQL clients read. */
export function reject(reply: FastifyReply, error: ServiceError, status = error.status): FastifyReply {
  const { details } = error
  // Node drains the rest of the body, so the connection can live on.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  return reply
    .status(status)
    .headers(errorHeaders(error))
    .send(
      JSON.stringify({
        error: error.message,
        error_code: error.code,
        ...(details?.length && { details }),
        errors: [{ message: error.message, extensions: extensionsOf(error, reply.request.id) }],
      }),
    )
}
