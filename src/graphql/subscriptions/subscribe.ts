import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  validateSubscriptionArgs,
} from 'graphql'
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { openPullStream, type PullStream } from '../../concurrency/pull-stream.ts'
import type { GraphqlContext } from '../builder.ts'
import { accepts, EVENT_STREAM } from '../http/accept.ts'
import { maskError } from '../http/errors.ts'
import { isStream, maskResult } from '../http/masking.ts'
import { within } from '../limits/deadline.ts'
import { limitError } from '../limits/limit-plugin.ts'
import { answerTo, type EventAnswer, sharingKey } from './event-answers.ts'
import { countSubscription, type Transport } from './open-subscriptions.ts'

export const subscriptions = (): Plugin<GraphqlContext> => ({
  onSubscribe: ({ setSubscribeFn }) => setSubscribeFn((call) => subscribeByHttp(call as ExecutionArgs)),
})

/** A stream without a reader would stay open. */
function subscribeByHttp(call: ExecutionArgs): ReturnType<typeof subscribe> | ExecutionResult {
  const { request } = call.contextValue as Partial<YogaInitialContext>
  if (accepts(request?.headers.get('accept'), [EVENT_STREAM])) return subscribe(call, 'sse')
  const extensions = { http: { status: 406, headers: { accept: EVENT_STREAM } } }
  return { errors: [new GraphQLError(`Accept ${EVENT_STREAM} to follow a subscription.`, { extensions })] }
}

/** Follows a subscription until its context's signal. A call over the limits gets an error. */
export async function subscribe(
  call: ExecutionArgs,
  transport: Transport = 'ws',
): Promise<ExecutionResult | PullStream<ExecutionResult>> {
  const error = limitError(call)
  if (error !== null) return { errors: [error] }
  const source = await within(call, open)
  return isStream(source) ? answersTo(source, call, transport) : source
}

function open(
  call: ExecutionArgs,
): Promise<ExecutionResult | PullStream<object>> | ExecutionResult | PullStream<object> {
  const valid = validateSubscriptionArgs(call)
  if (!('schema' in valid)) return { errors: valid }
  return createSourceEventStream(valid) as Promise<ExecutionResult | PullStream<object>>
}

function answersTo(events: PullStream<object>, call: ExecutionArgs, transport: Transport): PullStream<ExecutionResult> {
  const { log, requestId, signal, telemetry } = call.contextValue as GraphqlContext
  const key = sharingKey(call)
  const ended = countSubscription(telemetry, transport)
  let pending: EventAnswer | null = null
  const drop = (): void => {
    pending?.cancel(more)
    pending = null
  }
  const take = (): IteratorResult<ExecutionResult, undefined> | null => {
    if (events.broken) drop()
    if (pending === null) {
      const event = events.take()
      if (event?.done === true) ended()
      if (event === null || event.done === true) return event
      pending = answerTo(event.value, call, key)
      if (pending.result === null) pending.wait(more)
    }
    const { result } = pending
    if (result === null) return null
    pending = null
    return { done: false, value: maskResult(result, log, requestId) }
  }
  const stop = (): void => {
    drop()
    ended()
    void events.return()
  }
  const { stream, more } = openPullStream({
    take: takeOrSay(take, (error) => maskError(error, log, requestId)),
    stop,
    isBroken: () => events.broken,
  })
  events.onMore(more)
  signal.addEventListener('abort', () => void stream.return(), { once: true })
  if (signal.aborted) void stream.return()
  return stream
}

type Take = () => IteratorResult<ExecutionResult, undefined> | null

const takeOrSay =
  (take: Take, mask: (error: unknown) => GraphQLError): Take =>
  () => {
    try {
      return take()
    } catch (error) {
      return { done: false, value: { errors: [mask(error)] } }
    }
  }
