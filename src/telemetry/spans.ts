import { randomBytes } from 'node:crypto'
import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { VERSION } from '../values/version.ts'
import { errorAttribute, type SpanStart, statusAttribute } from './span-names.ts'

/** From here on a status is the server's fault. */
const SERVER_ERROR = 500
const [TRACE_ID_BYTES, SPAN_ID_BYTES] = [16, 8] as const

/** The trace of all that is left out before a span is made. No line of the log holds it, and no other server sees it. */
const LEFT_OUT_SPAN: SpanContext = {
  traceId: '00000000000000000000000000000001',
  spanId: '0000000000000001',
  traceFlags: TraceFlags.NONE,
}
const LEFT_OUT = trace.setSpanContext(ROOT_CONTEXT, LEFT_OUT_SPAN)
/** In a queue row, in the place of a `traceparent`: a worker that limits its traces leaves the job out as well, to others it has no sender. */
const LEFT_OUT_SENDER = '-'

/** Called only where a span is made of it. */
type StartSpan = () => SpanStart

const tracer = trace.getTracer('sonant', VERSION)
let limit: (() => boolean) | null = null

const admits = (): boolean => limit === null || limit()

/** Has every new trace ask first, before anything is made of it: what is left out costs a request next to nothing. */
export const limitTraces = (admit: (() => boolean) | null): void => {
  limit = admit
}

/** Headers that tell the next server which trace it is in; none where nothing is traced. */
export function traceHeaders(): Record<string, string> {
  if (!isTraced()) return {}
  if (context.active() === LEFT_OUT) return { traceparent: unsampled() }
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const { traceparent, tracestate } = carrier
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
}

/** Asks the next server to leave out what this one did: without it, that would begin a trace of its own. */
function unsampled(): string {
  const id = randomBytes(TRACE_ID_BYTES + SPAN_ID_BYTES).toString('hex')
  return `00-${id.slice(0, TRACE_ID_BYTES * 2)}-${id.slice(TRACE_ID_BYTES * 2)}-00`
}

/** `traceparent` as it waits with a job in the queue: 55 bytes. */
export const traceOfNow = (): string | undefined =>
  context.active() === LEFT_OUT ? LEFT_OUT_SENDER : traceHeaders().traceparent

/** Where there is a trace: what the lines of the log say of it. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  if (context.active() === LEFT_OUT) return {}
  const span = trace.getActiveSpan()?.spanContext()
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

/** Takes note of the answer to the request whose span is active. */
export const noteStatus = (status: number): void => {
  trace.getActiveSpan()?.setAttributes(statusAttribute(status))
}

/** Takes note of a failure that is no error here. @param outcome a word of this service's */
export function noteFailure(outcome: string): void {
  const span = trace.getActiveSpan()
  if (span !== undefined) markFailed(span, errorAttribute(outcome))
}

/** Runs `work` in a span of its own. @throws what `work` throws: the span then holds its code, or the name of its class */
function inSpan<Result>(start: StartSpan, kind: SpanKind, work: () => Promise<Result>): Promise<Result> {
  if (!isTraced() || isLeftOut()) return work()
  if (trace.getActiveSpan() === undefined && !admits()) return context.with(LEFT_OUT, work)
  const { name, attributes } = start()
  return tracer.startActiveSpan(name, { kind, attributes }, (span) => ended(span, work))
}

/** Whether the trace that this is part of was not sampled: nothing in it is. */
function isLeftOut(): boolean {
  const flags = trace.getActiveSpan()?.spanContext().traceFlags
  return flags !== undefined && (flags & TraceFlags.SAMPLED) === 0
}

/** Handing work to a queue. */
export const inProducerSpan = <Result>(start: StartSpan, work: () => Promise<Result>): Promise<Result> =>
  inSpan(start, SpanKind.PRODUCER, work)

/** A request to another server. */
export const inClientSpan = <Result>(start: StartSpan, work: () => Promise<Result>): Promise<Result> =>
  inSpan(start, SpanKind.CLIENT, work)

/** A step inside this process. */
export const inStepSpan = <Result>(start: StartSpan, work: () => Promise<Result>): Promise<Result> =>
  inSpan(start, SpanKind.INTERNAL, work)

/**
 * A worker's work with what another process has queued: part of the sender's trace, so that one trace shows the whole way, and linked to
 * it, as the wait between them may be hours. What is active where the worker was woken is not its parent.
 */
export function inConsumerSpan<Result>(
  start: StartSpan,
  traceparent: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isTraced()) return work()
  if (traceparent === LEFT_OUT_SENDER && limit !== null) return context.with(LEFT_OUT, work)
  const sent = traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent })
  const sender = trace.getSpanContext(sent)
  if (sender === undefined && !admits()) return context.with(LEFT_OUT, work)
  const links = sender === undefined ? [] : [{ context: sender }]
  const { name, attributes } = start()
  const options = { kind: SpanKind.CONSUMER, attributes, links }
  return tracer.startActiveSpan(name, options, sent, (span) => ended(span, work))
}

/** Whether a provider takes spans: without one, what a span needs is a tenth of a short answer. */
export function isTraced(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('sonant', VERSION) !== undefined
}

/** A request that a door answers. */
export interface ServerSpan {
  /** Runs `work` inside of it. */
  run<Result>(work: () => Result): Result
  end(status: number): void
}

/** The answer to a request of a trace that is left out. */
const LEFT_OUT_ANSWER: ServerSpan = { run: (work) => context.with(LEFT_OUT, work), end: () => undefined }

/** @param headers of which `traceparent` and `tracestate` alone are read: nothing else of a caller's goes on to other servers */
export function startServerSpan(start: StartSpan, headers: Readonly<Record<string, unknown>>): ServerSpan {
  const parent = 'traceparent' in headers ? callersTrace(headers) : ROOT_CONTEXT
  if (trace.getSpanContext(parent) === undefined && !admits()) return LEFT_OUT_ANSWER
  const { name, attributes } = start()
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  const inside = trace.setSpan(parent, span)
  return {
    run: (work) => context.with(inside, work),
    end: (status) => {
      span.setAttributes(statusAttribute(status))
      if (status >= SERVER_ERROR) markFailed(span, errorAttribute(String(status)))
      span.end()
    },
  }
}

const callersTrace = ({ traceparent, tracestate }: Readonly<Record<string, unknown>>): Context =>
  propagation.extract(ROOT_CONTEXT, { traceparent, ...(tracestate !== undefined && { tracestate }) })

/** Whether the work came to its end as planned: a job that goes back to the queue unbegun did. */
const isPlanned = (error: unknown): boolean => (error as { isPlanned?: unknown } | null)?.isPlanned === true

async function ended<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isPlanned(error)) markFailed(span, errorAttribute(typeOf(error)))
    throw error
  } finally {
    span.end()
  }
}

function markFailed(span: Span, attributes: Attributes): void {
  span.setAttributes(attributes)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

function typeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown'
}
