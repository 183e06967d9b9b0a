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
import { atOneMoment, type ReadKind } from '../../db/one-moment.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { GraphqlContext } from '../builder.ts'
import { measureOperation } from './measure-operation.ts'
import { readKindOf } from './read-kind.ts'

const LIMIT_MS = 10_000

export const deadline = (): Plugin<GraphqlContext> => ({
  onExecute: ({ setExecuteFn }) => setExecuteFn((call) => executeInTime(call as ExecutionArgs)),
})

/** A mutation always runs to its end. */
export function executeInTime(call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
  const { telemetry } = call.contextValue as Partial<GraphqlContext>
  return telemetry?.measures === true ? measureOperation(call, executeAny) : executeAny(call)
}

function executeAny(call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult {
  const operation = getOperationAST(call.document, call.operationName)?.operation
  if (operation !== OperationTypeNode.QUERY) return execute(call)
  const kind = readKindOf(call)
  return kind === null ? executeWithin(call) : within(call, (limited) => executeAtOneMoment(limited, kind))
}

function executeAtOneMoment(call: ExecutionArgs, kind: ReadKind): Promise<ExecutionResult> {
  const context = call.contextValue as GraphqlContext
  const reader = { kind, signal: call.abortSignal as AbortSignal, owner: ownerOf(context.actor) }
  return atOneMoment(context.db, reader, (db) => execute({ ...call, contextValue: { ...context, db } }))
}

export const executeWithin = (call: ExecutionArgs): Promise<ExecutionResult> | ExecutionResult => within(call, execute)

/** At the time limit, and when the caller disconnects, graphql stops and PostgreSQL cancels the call's statements. */
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
