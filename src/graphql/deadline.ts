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
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), limitMs)
  const signal = AbortSignal.any([late.signal, context.signal])
  const ended = new Promise<ExecutionResult>((resolve) => {
    signal.addEventListener('abort', () => resolve({ data: null, errors: [tooLong()] }), { once: true })
  })
  try {
    const contextValue = { ...context, signal, db: cancellable(context.db, signal) }
    return await Promise.race([execute({ ...execution, contextValue }), ended])
  } finally {
    clearTimeout(timer)
  }
}

function tooLong(): GraphQLError {
  const originalError = invalidRequest('Ask for less at a time: the query took too long.')
  return new GraphQLError(originalError.message, { originalError })
}
