import type { DocumentNode, ExecutionArgs, ExecutionResult } from 'graphql'
import { type Actor, callerOf } from '../../access/actor.ts'
import type { GraphqlContext } from '../builder.ts'
import { executeWithin } from '../limits/deadline.ts'

export interface EventAnswer {
  readonly result: ExecutionResult | null
  wait(onKnown: () => void): void
  /** When the last waiting subscriber cancels, the execution and its statement end. */
  cancel(onKnown: () => void): void
}

type Answers = Map<DocumentNode, Map<string, EventAnswer>>

const known = new WeakMap<object, Answers>()

/** Subscribers with equal operation, variables, account and scopes share answers. */
export function sharingKey({ operationName, variableValues, contextValue }: ExecutionArgs): string {
  const { actor } = contextValue as GraphqlContext
  return JSON.stringify([operationName ?? null, variableValues ?? null, rightsOf(actor)])
}

function rightsOf(actor: Actor): unknown {
  if (actor.kind === 'anonymous' || actor.kind === 'system') return actor.kind
  return 'scopes' in actor ? [actor.accountId, actor.scopes] : callerOf(actor)
}

/** Executes an event once for all subscribers that share it. Later subscribers execute a failed one again. */
export function answerTo(event: object, call: ExecutionArgs, key: string): EventAnswer {
  const answers: Answers = known.get(event) ?? new Map()
  known.set(event, answers)
  const ofDocument = answers.get(call.document) ?? new Map<string, EventAnswer>()
  answers.set(call.document, ofDocument)
  const answer = ofDocument.get(key)
  if (answer !== undefined) return answer
  const begun = begin(event, call, () => ofDocument.delete(key))
  if (begun.result?.errors === undefined) ofDocument.set(key, begun)
  return begun
}

function begin(event: object, call: ExecutionArgs, forget: () => void): EventAnswer {
  const cancelled = new AbortController()
  const waiting = new Set<() => void>()
  const contextValue = { ...(call.contextValue as GraphqlContext), signal: cancelled.signal }
  const executed = executeWithin({ ...call, rootValue: event, contextValue })
  let result = executed instanceof Promise ? null : executed
  const settle = (known: ExecutionResult): void => {
    result = known
    if (known.errors !== undefined && !cancelled.signal.aborted) forget()
    for (const onKnown of waiting) onKnown()
    waiting.clear()
  }
  if (executed instanceof Promise) executed.then(settle, (error) => settle({ errors: [error] }))
  return {
    get result() {
      return result
    },
    wait: (onKnown) => waiting.add(onKnown),
    cancel: (onKnown) => {
      if (!waiting.delete(onKnown) || waiting.size > 0 || result !== null) return
      forget()
      cancelled.abort()
    },
  }
}
