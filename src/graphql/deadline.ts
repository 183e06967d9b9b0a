import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { cancellable } from '../db/cancellable.ts'
import { invalidRequest } from '../errors.ts'
import type { GraphqlContext } from './builder.ts'
import { executeOperation } from './execute-plan.ts'

/** How long a query may take, the start of a subscription, and the answer to one of its events. */
const LIMIT_MS = 10_000

/**
 * Ends a query whose caller is gone or whose time is up, and its statement in the database with it. Mutations run to their end: they
 * are whole or not at all. Neither is executed by Yoga's own executor, which takes several times as long.
 */
export const deadline = (): Plugin<GraphqlContext> => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn((call) => executeInTime(call as ExecutionArgs)),
})

/** Executes a query or a mutation. */
export function executeInTime(call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
  const operation = getOperationAST(call.document, call.operationName)?.operation
  return operation === OperationTypeNode.QUERY ? executeWithin(call) : execute(call)
}

/** Executes what only reads. */
export const executeWithin = (call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult =>
  within(call.contextValue as GraphqlContext, (contextValue) => executeOperation({ ...call, contextValue }))

/**
 * What `work` comes to, or the refusal of what takes too long: at the time limit, and when the caller is gone. Then the signal of the
 * context that `work` is given is aborted, and the statements that it has running in the database are ended.
 */
export function within<T>(
  context: GraphqlContext,
  work: (context: GraphqlContext) => Promise<T> | T,
): Promise<T | ExecutionResult> | T | ExecutionResult {
  if (context.signal.aborted) return tooLong()
  const stop = new AbortController()
  const begun = work({ ...context, signal: stop.signal, db: cancellable(context.db, stop.signal) })
  return begun instanceof Promise ? untilStopped(begun, context.signal, stop) : begun
}

async function untilStopped<T>(
  begun: Promise<T>,
  gone: AbortSignal,
  stop: AbortController,
): Promise<T | ExecutionResult> {
  const { promise: stopped, resolve } = Promise.withResolvers<ExecutionResult>()
  const end = (): void => {
    stop.abort()
    resolve(tooLong())
  }
  const timer = setTimeout(end, LIMIT_MS)
  gone.addEventListener('abort', end, { once: true })
  if (gone.aborted) end()
  try {
    return await Promise.race([begun, stopped])
  } finally {
    clearTimeout(timer)
    gone.removeEventListener('abort', end)
  }
}

function tooLong(): ExecutionResult {
  const originalError = invalidRequest('Ask for less at a time: the query took too long.')
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] }
}
