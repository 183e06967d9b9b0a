import type { FastifyReply } from 'fastify'
import { errorHeaders } from '../../errors/describe-error.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { MAX_GRAPHQL_BODY_BYTES } from '../limits/limits.ts'
import { extensionsOf } from './errors.ts'

/** The body may be smaller here than elsewhere. */
export const ownLimit = (error: ServiceError): ServiceError =>
  error.code === 'PAYLOAD_TOO_LARGE'
    ? new ServiceError(error.code, `Send a body of at most ${MAX_GRAPHQL_BODY_BYTES / 1024} KiB.`)
    : error

/** Answers a request that no operation is executed for: with the pair of every other path, and the errors that a GraphQL client reads. */
export function reject(reply: FastifyReply, error: ServiceError, status = error.status): FastifyReply {
  const { details } = error
  // Fastify closes the connection after a rejected body; node drains what is left of it, so the connection can live on.
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
