/** A worker that sent no heartbeat for this long has died: its jobs go to others. */
export const DEAD_AFTER_MS = 5000
export const HEARTBEAT_MS = 1000
/** A worker that could not send one for this long stops what it has at servers that others share, shortly before they may go there. */
export const LEASE_MS = DEAD_AFTER_MS - 500

/** A graphics card as the driver names it. */
export interface Gpu {
  readonly name: string
  readonly memoryMib: number
}

/** What of a worker changes from one heartbeat to the next. */
export interface WorkerLoad {
  /** The engine pools that it serves. */
  readonly pools: readonly string[]
  /** Jobs that it runs at once at most, over its pools. */
  readonly slots: number
  readonly inFlight: number
}
