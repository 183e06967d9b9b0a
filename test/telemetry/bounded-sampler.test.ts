import { ROOT_CONTEXT, type SpanContext, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import * as sdk from '@opentelemetry/sdk-trace-node'
import { expect, test } from 'vitest'
import { boundedSampler, MAX_TRACES_PER_SECOND } from '../../src/telemetry/bounded-sampler.ts'

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c'

function openSampler() {
  let nowMs = 0
  const sampler = boundedSampler(sdk, () => nowMs)
  const isSampled = (parent = ROOT_CONTEXT) =>
    sampler.shouldSample(parent, TRACE_ID, 'POST', SpanKind.SERVER, {}, []).decision ===
    sdk.SamplingDecision.RECORD_AND_SAMPLED
  const sampledOf = (count: number) => Array.from({ length: count }, () => isSampled()).filter(Boolean).length
  return {
    isSampled,
    sampledOf,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

const within = (traceFlags: TraceFlags, isRemote: boolean) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId: TRACE_ID,
    spanId: 'b7ad6b7169203331',
    traceFlags,
    isRemote,
  } satisfies SpanContext)

test('every trace is sampled while there are few, and so many a second where there are more', () => {
  const { sampledOf, pass } = openSampler()
  expect(sampledOf(MAX_TRACES_PER_SECOND)).toBe(MAX_TRACES_PER_SECOND)
  expect(sampledOf(1000)).toBe(0)
  pass(100)
  expect(sampledOf(1000)).toBe(MAX_TRACES_PER_SECOND / 10)
  pass(3_600_000)
  expect(sampledOf(10_000)).toBe(MAX_TRACES_PER_SECOND)
})

test('a span within a trace is as the one that began it decided, here or in another process', () => {
  const { isSampled, sampledOf } = openSampler()
  sampledOf(MAX_TRACES_PER_SECOND)
  for (const isRemote of [true, false]) {
    expect(isSampled(within(TraceFlags.SAMPLED, isRemote))).toBe(true)
    expect(isSampled(within(TraceFlags.NONE, isRemote))).toBe(false)
  }
})
