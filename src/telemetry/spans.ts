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
import { VERSION } from '../values/program.ts'
import { errorAttribute, type SpanStart, statusAttribute } from './span-names.ts'

const SERVER_ERROR = 500

type StartSpan = () => SpanStart

const tracer = trace.getTracer('sonant', VERSION)

export function traceHeaders(): Record<string, string> {
  if (!isTraced()) return {}
  const carrier: Record<string, string> = {}
  propagation.inject(context.active(), carrier)
  const { traceparent, tracestate } = carrier
  return { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
}

export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext()
  return span === undefined || !isSampled(span) ? {} : { trace_id: span.traceId, span_id: span.spanId }
}

export const noteStatus = (status: number): void => {
  trace.getActiveSpan()?.setAttributes(statusAttribute(status))
}

export function noteFailure(outcome: string): void {
  const span = trace.getActiveSpan()
  if (span !== undefined) markFailed(span, errorAttribute(outcome))
}

/** @throws the error of `work`; the span keeps its code or class name */
function inSpan<Result>(start: StartSpan, kind: SpanKind, work: () => Promise<Result>): Promise<Result> {
  const outer = trace.getActiveSpan()
  if (!isTraced() || (outer !== undefined && !isSampled(outer.spanContext()))) return work()
  const { name, attributes } = start()
  return tracer.startActiveSpan(name, { kind, attributes }, (span) => ended(span, work))
}

const isSampled = ({ traceFlags }: SpanContext): boolean => (traceFlags & TraceFlags.SAMPLED) !== 0

export const inProducerSpan = <Result>(start: StartSpan, work: () => Promise<Result>): Promise<Result> =>
  inSpan(start, SpanKind.PRODUCER, work)

export const inClientSpan = <Result>(start: StartSpan, work: () => Promise<Result>): Promise<Result> =>
  inSpan(start, SpanKind.CLIENT, work)

export const inStepSpan = <Result>(start: StartSpan, work: () => Promise<Result>): Promise<Result> =>
  inSpan(start, SpanKind.INTERNAL, work)

/**
 * Continues the sender's trace and links to it, because the job may have waited for hours.
 * The context that woke the worker is not the parent.
 */
export function inConsumerSpan<Result>(
  start: StartSpan,
  traceparent: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isTraced()) return work()
  const sent = traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent })
  const sender = trace.getSpanContext(sent)
  const links = sender === undefined ? [] : [{ context: sender }]
  const { name, attributes } = start()
  const options = { kind: SpanKind.CONSUMER, attributes, links }
  return tracer.startActiveSpan(name, options, sent, (span) => ended(span, work))
}

export function isTraced(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer('sonant', VERSION) !== undefined
}

export interface ServerSpan {
  run<Result>(work: () => Result): Result
  end(status: number): void
}

/** @param headers only `traceparent` and `tracestate` go on to other servers */
export function startServerSpan(start: StartSpan, headers: Readonly<Record<string, unknown>>): ServerSpan {
  const parent = 'traceparent' in headers ? callersTrace(headers) : ROOT_CONTEXT
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

/** A job that goes back to the queue unbegun ended as planned. */
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
