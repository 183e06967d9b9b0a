import { type ExecutionResult, execute, GraphQLError, getOperationAST, OperationTypeNode } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { cancellable } from '../db/cancellable.ts'
import { invalidRequest } from '../errors.ts'
import type { GraphqlContext } from './builder.ts'

/** How long a query may take. */
const QUERY_LIMIT_MS = 10_000

/**
 * Ends a query whose caller is gone or whose time is up, and its statement in the database with it. Mutations run to their end: they
 * are whole or not at all. Executing is graphql's own: it takes half the time of Yoga's, which needs no more of us.
 */
export const deadline = (limitMs = QUERY_LIMIT_MS): Plugin<GraphqlContext> => ({
  onExecute: ({ args, setExecuteFn }) => {
    const operation = getOperationAST(args.document, args.operationName)?.operation
    setExecuteFn((call) =>
      operation === OperationTypeNode.QUERY ? executeWithin(limitMs, call) : execute(call as Execution),
    )
  },
})

type Execution = Parameters<typeof execute>[0]

async function executeWithin(limitMs: number, call: unknown): Promise<ExecutionResult> {
  const execution = call as Execution
  const context = execution.contextValue as GraphqlContext
  const stop = new AbortController()
  const { promise: stopped, resolve } = Promise.withResolvers<ExecutionResult>()
  const end = (): void => {
    stop.abort()
    resolve({ data: null, errors: [tooLong()] })
  }
  const timer = setTimeout(end, limitMs)
  context.signal.addEventListener('abort', end, { once: true })
  if (context.signal.aborted) end()
  try {
    const contextValue = { ...context, db: cancellable(context.db, stop.signal) }
    return await Promise.race([execute({ ...execution, contextValue }), stopped])
  } finally {
    clearTimeout(timer)
    context.signal.removeEventListener('abort', end)
  }
}

function tooLong(): GraphQLError {
  const originalError = invalidRequest('Ask for less at a time: the query took too long.')
  return new GraphQLError(originalError.message, { originalError })
}
