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

/** How long a query may take. */
const QUERY_LIMIT_MS = 10_000

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
  return operation === OperationTypeNode.QUERY ? executeWithin(QUERY_LIMIT_MS, call) : execute(call)
}

async function executeWithin(limitMs: number, execution: ExecutionArgs): Promise<ExecutionResult> {
  const context = execution.contextValue as GraphqlContext
  let isStopped = false
  const { promise: stopped, resolve } = Promise.withResolvers<ExecutionResult>()
  const end = (): void => {
    isStopped = true
    resolve({ data: null, errors: [tooLong()] })
  }
  const timer = setTimeout(end, limitMs)
  context.signal.addEventListener('abort', end, { once: true })
  if (context.signal.aborted) end()
  try {
    const contextValue = { ...context, db: cancellable(context.db, () => isStopped) }
    return await Promise.race([executeOperation({ ...execution, contextValue }), stopped])
  } finally {
    clearTimeout(timer)
    context.signal.removeEventListener('abort', end)
  }
}

function tooLong(): GraphQLError {
  const originalError = invalidRequest('Ask for less at a time: the query took too long.')
  return new GraphQLError(originalError.message, { originalError })
}
