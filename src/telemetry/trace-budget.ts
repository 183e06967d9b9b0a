/** Where traces go and how they are sampled, of OpenTelemetry's environment variables. */
export interface TraceSettings {
  /** The collector that spans are sent to over HTTP. */
  readonly endpoint: string
  /** OpenTelemetry's name of how traces are sampled; null: as this service does. */
  readonly sampler: string | null
}

/** New traces of a process in a second: more than that costs requests noticeable time, and overruns the exporter's queue of spans. */
export const MAX_TRACES_PER_SECOND = 500

/**
 * Returns what says whether the next trace may begin: always, as long as there are no more than MAX_TRACES_PER_SECOND. A bucket that fills
 * as fast and holds a second's worth.
 * @param now in milliseconds
 */
export function traceBudget(now: () => number = () => performance.now()): () => boolean {
  let left = MAX_TRACES_PER_SECOND
  let filledAt = now()
  return () => {
    const at = now()
    left = Math.min(MAX_TRACES_PER_SECOND, left + ((at - filledAt) / 1000) * MAX_TRACES_PER_SECOND)
    filledAt = at
    if (left < 1) return false
    left--
    return true
  }
}
