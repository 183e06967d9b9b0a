export interface TraceSettings {
  readonly endpoint: string
  /** null: `traceBudget` decides. */
  readonly sampler: string | null
}

export const MAX_TRACES_PER_SECOND = 500

/** A token bucket that holds one second of traces. @param now in milliseconds */
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
