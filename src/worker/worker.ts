/** A worker that sent no heartbeat for this long has died: its jobs go to others. */
export const DEAD_AFTER_MS = 5000
export const HEARTBEAT_MS = 1000
/** A worker that could not send one for this long stops what it has at servers that others share, shortly before they may go there. */
export const LEASE_MS = DEAD_AFTER_MS - 500

/** Whether a worker's jobs have gone to others, or are about to. @param now of the database's clock, in milliseconds */
export const isSilent = ({ heartbeatAt }: { readonly heartbeatAt: Date }, now: number): boolean =>
  now - heartbeatAt.getTime() > DEAD_AFTER_MS

/** A graphics card as the driver names it. */
export interface Gpu {
  readonly name: string
  /** 0 where the driver does not tell, as of cards that share their machine's. */
  readonly memoryMib: number
  /** Of its memory, by all processes of the machine; null where the driver does not tell. */
  readonly memoryUsedMib: number | null
  /** How much of the last second or so it computed, in per cent; null where the driver does not tell. */
  readonly loadPercent: number | null
}

export type ServerState = 'starting' | 'ready' | 'failed'

/** The server that a worker owns, as operators see it. */
export interface ServerStatus {
  readonly state: ServerState
  readonly since: Date
  /** How often it was started again. */
  readonly restarts: number
  /** Why it failed last, with its last lines; null: it has not. */
  readonly error: string | null
}

/** What of a worker changes from one heartbeat to the next. */
export interface WorkerLoad {
  /** The engine pools that it serves. */
  readonly pools: readonly string[]
  /** Jobs that it runs at once at most, over its pools. */
  readonly slots: number
  readonly inFlight: number
  readonly gpus: readonly Gpu[]
  /** null: it owns none. */
  readonly server: ServerStatus | null
  /** Why engines of its pools cannot be used now, by what they are known by: servers that do not answer, models that are not there. */
  readonly away: Readonly<Record<string, string>>
}
