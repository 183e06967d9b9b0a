import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  getOperationAST,
  OperationTypeNode,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { cancellable } from '../../db/cancellable-client.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { GraphqlContext } from '../builder.ts'
import { executeOperation } from '../execution/execute-plan.ts'

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
 * What `work` comes to, or the refusal of what takes too long: at the time limit, and when the caller is gone. From then on `isOver` says
 * so, and the statements that `work` has running in the database are ended.
 */
export function within<T>(
  context: GraphqlContext,
  work: (context: GraphqlContext, isOver: () => boolean) => Promise<T> | T,
): Promise<T | ExecutionResult> | T | ExecutionResult {
  const { signal, db } = context
  if (signal.aborted) return tooLong()
  const { promise: stopped, resolve } = Promise.withResolvers<ExecutionResult>()
  let isStopped = false
  const isOver = () => isStopped
  const begun = work({ ...context, db: cancellable(db, isOver) }, isOver)
  if (!(begun instanceof Promise)) return begun
  const end = (): void => {
    isStopped = true
    resolve(tooLong())
  }
  const timer = setTimeout(end, LIMIT_MS)
  signal.addEventListener('abort', end, { once: true })
  return Promise.race([begun, stopped]).finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  })
}

function tooLong(): ExecutionResult {
  const originalError = invalidRequest('Ask for less at a time: the query took too long.')
  return { data: null, errors: [new GraphQLError(originalError.message, { originalError })] }
}
