import { GraphQLError } from 'graphql'
import { ServiceError } from '../errors.ts'
import type { Log } from '../log.ts'
import { describeTrouble, toServiceError } from '../trouble.ts'

/**
 * What a caller may see of an error: the codes of REST with the request's id (contract.md section 10). Whatever is not a refusal in
 * our own words, nor a mistake in the caller's document, becomes INTERNAL_ERROR and stays in the log.
 */
export function maskError(error: unknown, log: Log, requestId: string): GraphQLError {
  if (!(error instanceof GraphQLError)) return masked(error, log, requestId)
  if (error.originalError === undefined || error.originalError === null) {
    // The libraries have codes of their own for mistakes in a document or an envelope.
    return withExtensions(error, { code: 'INVALID_REQUEST', requestId, ...httpOf(error) })
  }
  const inner = error.originalError
  if (inner instanceof GraphQLError)
    return withExtensions(error, { code: 'INVALID_REQUEST', requestId, ...httpOf(inner) })
  const { message, extensions } = masked(inner, log, requestId)
  return new GraphQLError(message, { nodes: error.nodes, path: error.path, extensions })
}

function masked(error: unknown, log: Log, requestId: string): GraphQLError {
  const refusal = toServiceError(error)
  if (!(error instanceof ServiceError) && refusal.code === 'INTERNAL_ERROR') {
    log.error({ requestId, ...describeTrouble(error) }, 'a request failed')
  }
  return new GraphQLError(refusal.message, {
    extensions: { code: refusal.code, requestId, ...(refusal.details !== undefined && { details: refusal.details }) },
  })
}

const httpOf = (error: GraphQLError) => (error.extensions.http === undefined ? {} : { http: error.extensions.http })

const withExtensions = (error: GraphQLError, extensions: Record<string, unknown>) =>
  new GraphQLError(error.message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions,
  })
