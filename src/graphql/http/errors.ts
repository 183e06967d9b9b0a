import { type ExecutionResult, GraphQLError } from 'graphql'
import { describeError, toServiceError } from '../../errors/describe-error.ts'
import { type Detail, type ErrorCode, HTTP_STATUS, ServiceError, shortenedMessage } from '../../errors/service-error.ts'
import type { Log } from '../../values/log.ts'

const REST_NAME = /^\/?[a-z]+(_[a-z]+)+$/

/** Shows REST's codes. An error that is neither a ServiceError nor a violation in the document becomes INTERNAL_ERROR and is logged. */
export function maskError(error: unknown, log: Log, requestId: string): GraphQLError {
  if (!(error instanceof GraphQLError)) return masked(error, log, requestId)
  if (error.extensions.requestId === requestId) return error
  if (error.originalError === undefined || error.originalError === null) {
    return withExtensions(error, { code: codeOf(error), requestId, ...httpOf(error) })
  }
  const inner = error.originalError
  if (inner instanceof GraphQLError)
    return withExtensions(error, { code: 'INVALID_REQUEST', requestId, ...httpOf(inner) })
  const { message, extensions } = masked(inner, log, requestId)
  return new GraphQLError(message, { nodes: error.nodes, path: error.path, extensions })
}

function masked(error: unknown, log: Log, requestId: string): GraphQLError {
  const shown = toServiceError(error)
  if (!(error instanceof ServiceError) && shown.code === 'INTERNAL_ERROR') {
    log.error({ requestId, ...describeError(error) }, 'a request failed')
  }
  return new GraphQLError(shownMessage(shown.message), { extensions: extensionsOf(shown, requestId) })
}

export const extensionsOf = ({ code, details, retryAfterSeconds }: ServiceError, requestId: string) => ({
  ...{ code, requestId },
  ...(details?.length && { details: shownDetails(details) }),
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
})

/** REST names headers and fields; GraphQL has names of its own for them. */
export const shownMessage = (message: string): string =>
  message
    .replaceAll('Idempotency-Key', 'idempotencyKey')
    .replace('the x-request-id of this response', 'the requestId of this error')
    .replace('contact support with its job_id', 'contact support with its id')
    .replace('address as webhook_url:', 'address as webhookUrl:')

export const shownDetails = (details: readonly Detail[]): Detail[] =>
  details.map(({ path, message }) => ({
    path: REST_NAME.test(path) ? path.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase()) : path,
    message,
  }))

const codeOf = ({ extensions: { code, http } }: GraphQLError): ErrorCode => {
  if (typeof code === 'string' && code in HTTP_STATUS) return code as ErrorCode
  const status = (http as { status?: number } | undefined)?.status
  return status === HTTP_STATUS.METHOD_NOT_ALLOWED ? 'METHOD_NOT_ALLOWED' : 'INVALID_REQUEST'
}

/** A body that is no JSON is answered 400, whatever the caller accepts. */
const httpOf = ({ extensions: { code, http, originalError } }: GraphQLError) => {
  if (http === undefined) return {}
  return code === 'BAD_REQUEST' && originalError !== undefined ? { http: { status: 400 } } : { http }
}

const withExtensions = (error: GraphQLError, extensions: Record<string, unknown>) =>
  new GraphQLError(shortenedMessage(error.message), {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions,
  })

export function maskResult(result: ExecutionResult, log: Log, requestId: string): ExecutionResult {
  if (result.errors === undefined) return result
  return { ...result, errors: result.errors.map((error) => maskError(error, log, requestId)) }
}

export const isStream = <Stream extends AsyncIterable<unknown>>(result: ExecutionResult | Stream): result is Stream =>
  Symbol.asyncIterator in result
