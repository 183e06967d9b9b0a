import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { ownerOf } from '../../access/actor.ts'
import { cancellable } from '../../db/cancellable-client.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { GraphqlContext } from '../builder.ts'
import { measureOperation } from './measure-operation.ts'

/** How long a query may take, the start of a subscription, and the answer to one of its events. */
const LIMIT_MS = 10_000

/** Has Yoga execute by graphql itself, within the time limit, what it would execute by an executor of its own. */
export const deadline = (): Plugin<GraphqlContext> => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn((call) => executeInTime(call as ExecutionArgs)),
})

/** Executes a query within the time limit. A mutation runs to its end: it is whole or not at all. */
export function executeInTime(call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
  const { telemetry } = call.contextValue as Partial<GraphqlContext>
  return telemetry?.measures === true ? measureOperation(call, executeAny) : executeAny(call)
}

function executeAny(call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
  const operation = getOperationAST(call.document, call.operationName)?.operation
  return operation === OperationTypeNode.QUERY ? executeWithin(call) : execute(call)
}

/** Executes what only reads. */
export const executeWithin = (call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult => within(call, execute)

/**
 * What graphql makes of a call, or an error where that takes too long: at the time limit, and when the caller disconnects, graphql
 * stops resolving, and the statements that the call has running in the database are cancelled.
 */
export function within<Result>(
  call: ExecutionArgs,
  work: (call: ExecutionArgs) => Promise<Result> | Result,
): Promise<ExecutionResult | Result> | ExecutionResult | Result {
  const context = call.contextValue as GraphqlContext
  if (context.signal.aborted) return tooLong()
  const over = new AbortController()
  const db = cancellable(context.db, () => over.signal.aborted, ownerOf(context.actor))
  const contextValue = { ...context, db }
  const begun = work({ ...call, contextValue, abortSignal: over.signal })
  return begun instanceof Promise ? unlessOver(begun, context.signal, over) : begun
}

async function unlessOver<Result>(
  begun: Promise<Result>,
  disconnected: AbortSignal,
  over: AbortController,
): Promise<ExecutionResult | Result> {
  const end = (): void => over.abort()
  const timer = setTimeout(end, LIMIT_MS)
  disconnected.addEventListener('abort', end, { once: true })
  try {
    const result = await begun
    return over.signal.aborted ? tooLong() : result
  } catch (error) {
    if (over.signal.aborted) return tooLong()
    throw error
  } finally {
    clearTimeout(timer)
    disconnected.removeEventListener('abort', end)
  }
}

function tooLong(): ExecutionResult {
  const originalError = invalidRequest('Ask for less at a time: the query took too long.')
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] }
}
