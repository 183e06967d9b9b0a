import { Readable } from 'node:stream'
import {
  BREAK,
  createSourceEventStream,
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  validateSubscriptionArgs,
  visit,
} from 'graphql'
import type { Plugin, YogaInitialContext } from 'graphql-yoga'
import { type Actor, callerOf } from '../../access/actor.ts'
import { openPullStream, type PullStream } from '../../concurrency/pull-stream.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { GraphqlContext } from '../builder.ts'
import { accepts, EVENT_STREAM } from '../http/accept.ts'
import { isStream, maskError, maskResult } from '../http/errors.ts'
import { executeWithin, within } from '../limits/deadline.ts'
import { limitError } from '../limits/limit-plugin.ts'
import { OF_CALLER } from '../seen-by.ts'

const ofCaller = new WeakMap<GraphQLSchema, ReadonlySet<string>>()
const known = new WeakMap<object, Answers>()
const counts = new WeakMap<Telemetry, Map<Transport, number>>()

interface EventAnswer {
  readonly result: ExecutionResult | null
  wait(onKnown: () => void): void
  /** When the last waiting subscriber cancels, the execution and its statement end. */
  cancel(onKnown: () => void): void
}

type Answers = Map<DocumentNode, Map<string, EventAnswer>>

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(reason?: unknown): Promise<void>
}

type Transport = 'ws' | 'sse'

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

/** Subscribers with equal operation, variables, account and scopes share answers, unless a field depends on the caller. */
function sharingKey({ schema, document, operationName, variableValues, contextValue }: ExecutionArgs): string {
  const { actor } = contextValue as GraphqlContext
  const rights = 'accountId' in actor && asksOfCaller(schema, document) ? callerOf(actor) : rightsOf(actor)
  return JSON.stringify([operationName ?? null, variableValues ?? null, rights])
}

function asksOfCaller(schema: GraphQLSchema, document: DocumentNode): boolean {
  const names = callersFields(schema)
  let asks = false
  visit(document, {
    Field: ({ name }) => {
      if (!names.has(name.value)) return undefined
      asks = true
      return BREAK
    },
  })
  return asks
}

function callersFields(schema: GraphQLSchema): ReadonlySet<string> {
  const found = ofCaller.get(schema)
  if (found !== undefined) return found
  const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [],
  )
  const names = new Set(fields.filter(({ extensions }) => extensions[OF_CALLER] === true).map(({ name }) => name))
  ofCaller.set(schema, names)
  return names
}

function rightsOf(actor: Actor): unknown {
  if (actor.kind === 'anonymous' || actor.kind === 'system') return actor.kind
  return 'scopes' in actor ? [actor.accountId, actor.scopes] : callerOf(actor)
}

/** Executes an event once for all subscribers that share it. Later subscribers execute a failed one again. */
function answerTo(event: object, call: ExecutionArgs, key: string): EventAnswer {
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

/** Cancels at once if the client disconnects; `Readable.from` would wait for the next event. */
export function toReadable(body: { getReader(): Reader }): Readable {
  const reader = body.getReader()
  return new Readable({
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      reader.cancel().then(
        () => done(error),
        () => done(error),
      )
    },
  })
}

function countSubscription(telemetry: Telemetry, transport: Transport): () => void {
  if (!telemetry.measures) return () => undefined
  const open = counts.get(telemetry) ?? readFrom(telemetry)
  const add = (change: 1 | -1) => open.set(transport, (open.get(transport) ?? 0) + change)
  add(1)
  let isOpen = true
  return () => {
    if (isOpen) add(-1)
    isOpen = false
  }
}

function readFrom(telemetry: Telemetry): Map<Transport, number> {
  const open = new Map<Transport, number>([
    ['ws', 0],
    ['sse', 0],
  ])
  counts.set(telemetry, open)
  telemetry.gauge('graphql_subscriptions', () =>
    [...open].map(([transport, value]) => ({ labels: { transport }, value })),
  )
  return open
}
