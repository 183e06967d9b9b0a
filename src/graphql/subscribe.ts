import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
} from 'graphql'
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { type Actor, callerOf } from '../context.ts'
import { accepts, EVENT_STREAM } from './accept.ts'
import type { GraphqlContext } from './builder.ts'
import { executeOperation } from './execute-plan.ts'
import { refuseCall } from './limit-plugin.ts'
import { isStream } from './masking.ts'

type Answer = Promise<ExecutionResult> | ExecutionResult
type Answers = Map<DocumentNode, Map<string, Answer>>

/** Of each event, what it was answered with: forgotten with it. */
const shared = new WeakMap<object, Answers>()

/**
 * Follows what a subscription is about. An event that reaches many subscribers is executed once for all who ask for the same and may see
 * the same: same document, operation and variables, same account, same scopes. Answers with errors are nobody else's.
 */
export const sharedSubscriptions = (): Plugin<GraphqlContext> => ({
  onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((call) => subscribeByHttp(call as ExecutionArgs)),
})

/** A stream that nobody takes would stay open for good. */
function subscribeByHttp(call: ExecutionArgs): ReturnType<typeof subscribe> | ExecutionResult {
  const { request } = call.contextValue as Partial<YogaInitialContext>
  if (accepts(request?.headers.get('accept'), [EVENT_STREAM])) return subscribe(call)
  const extensions = { http: { status: 406, headers: { accept: EVENT_STREAM } } }
  return { errors: [new GraphQLError(`Accept ${EVENT_STREAM} to follow a subscription.`, { extensions })] }
}

/** The same without Yoga. A call that is over the limits is answered with an error. */
export async function subscribe(call: ExecutionArgs): Promise<ExecutionResult | AsyncIterable<ExecutionResult>> {
  const refusal = refuseCall(call)
  if (refusal !== null) return { errors: [refusal] }
  const source = await createSourceEventStream(call)
  if (!isStream(source)) return source as ExecutionResult
  const key = sharingKey(call)
  return map(source, (event) => answerTo(event, call, key))
}

function sharingKey({ operationName, variableValues, contextValue }: ExecutionArgs): string {
  const { actor } = contextValue as GraphqlContext
  return JSON.stringify([operationName ?? null, variableValues ?? null, rightsOf(actor)])
}

function rightsOf(actor: Actor): unknown {
  if (actor.kind === 'anonymous' || actor.kind === 'system') return actor.kind
  return 'scopes' in actor ? [actor.accountId, actor.scopes] : callerOf(actor)
}

function answerTo(event: unknown, call: ExecutionArgs, key: string): Answer {
  const execute = () => executeOperation({ ...call, rootValue: event })
  if (typeof event !== 'object' || event === null) return execute()
  const answers: Answers = shared.get(event) ?? new Map()
  shared.set(event, answers)
  const ofDocument = answers.get(call.document) ?? new Map<string, Answer>()
  answers.set(call.document, ofDocument)
  const known = ofDocument.get(key)
  if (known === undefined) {
    const answer = execute()
    ofDocument.set(key, answer)
    return answer
  }
  if (!(known instanceof Promise)) return known.errors === undefined ? known : execute()
  return known.then((answer) => (answer.errors === undefined ? answer : execute()))
}

/** No generator: one that waits for its next value could not be ended before that comes. */
function map(
  source: AsyncIterable<unknown>,
  answer: (event: unknown) => Answer,
): AsyncIterableIterator<ExecutionResult> {
  const events = source[Symbol.asyncIterator]()
  const last = { done: true, value: undefined } as const
  const toAnswer = ({ done, value }: IteratorResult<unknown>) => {
    if (done === true) return last
    const answered = answer(value)
    return answered instanceof Promise
      ? answered.then((known) => ({ done: false as const, value: known }))
      : { done: false as const, value: answered }
  }
  const answers: AsyncIterableIterator<ExecutionResult> = {
    next: () => events.next().then(toAnswer),
    return: async () => {
      await events.return?.()
      return last
    },
    throw: async (error) => {
      await events.return?.()
      throw error
    },
    [Symbol.asyncIterator]: () => answers,
  }
  return answers
}
