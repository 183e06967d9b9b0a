/** After this silence other workers take the jobs. */
export const DEAD_AFTER_MS = 5000
export const HEARTBEAT_MS = 1000
/** A worker without heartbeat stops its requests before others may use its permits. */
export const LEASE_MS = DEAD_AFTER_MS - 500

/** @param now milliseconds of the database's clock */
export const isSilent = ({ heartbeatAt }: { readonly heartbeatAt: Date }, now: number): boolean =>
  now - heartbeatAt.getTime() > DEAD_AFTER_MS

export interface Gpu {
  readonly name: string
  /** 0 if the driver does not report it. */
  readonly memoryMib: number
  /** Used by all processes; null if the driver does not report it. */
  readonly memoryUsedMib: number | null
  readonly loadPercent: number | null
}

export type ServerState = 'starting' | 'ready' | 'failed'

export interface ServerStatus {
  readonly state: ServerState
  readonly since: Date
  readonly restarts: number
  readonly error: string | null
}

export interface WorkerLoad {
  readonly pools: readonly string[]
  readonly slots: number
  readonly inFlight: number
  readonly gpus: readonly Gpu[]
  readonly server: ServerStatus | null
  /** Reasons by `awayKey` why engines are unusable. */
  readonly away: Readonly<Record<string, string>>
}
