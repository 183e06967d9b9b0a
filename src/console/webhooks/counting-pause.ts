const CHANGED_MS = 5000
const TIMES_TAKEN = 20

/** So long after deliveries have changed they are counted anew: a long read, which takes a twentieth of the time at most. @param tookMs what the count before took */
export const countingPause = (tookMs: number): number => Math.max(CHANGED_MS, TIMES_TAKEN * tookMs)
