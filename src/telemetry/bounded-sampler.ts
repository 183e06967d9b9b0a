import type * as Sdk from '@opentelemetry/sdk-trace-node'

export interface TraceSettings {
  /** The collector that spans are sent to over HTTP. */
  readonly endpoint: string
  /** OpenTelemetry's name of how traces are sampled; null: as this service does. */
  readonly sampler: string | null
}

/** New traces of a process in a second: more than that costs requests noticeable time, and overruns the exporter's queue of spans. */
export const MAX_TRACES_PER_SECOND = 500

/**
 * Samples whole traces, each of them as long as there are no more than MAX_TRACES_PER_SECOND: a bucket that fills as fast and holds a second's
 * worth. Spans of a trace that another process has begun are as that one decided.
 * @param now in milliseconds
 */
export function boundedSampler(
  { ParentBasedSampler, SamplingDecision }: Pick<typeof Sdk, 'ParentBasedSampler' | 'SamplingDecision'>,
  now: () => number = () => performance.now(),
): Sdk.Sampler {
  let left = MAX_TRACES_PER_SECOND
  let filledAt = now()
  const root = {
    shouldSample: () => {
      const at = now()
      left = Math.min(MAX_TRACES_PER_SECOND, left + ((at - filledAt) / 1000) * MAX_TRACES_PER_SECOND)
      filledAt = at
      if (left < 1) return { decision: SamplingDecision.NOT_RECORD }
      left--
      return { decision: SamplingDecision.RECORD_AND_SAMPLED }
    },
    toString: () => `BoundedSampler{${MAX_TRACES_PER_SECOND}}`,
  }
  return new ParentBasedSampler({ root })
}
