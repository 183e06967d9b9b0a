import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireOperator } from '../access/require.ts'
import { placeOfServer } from '../catalog/files/hidden-password.ts'
import type { Context } from '../context/context.ts'
import type { ModelState } from '../engines/sherpa/sherpa-model.ts'

export const WORKER_VIEW = {
  id: true,
  host: true,
  version: true,
  pools: true,
  slots: true,
  inFlight: true,
  gpus: true,
  server: true,
  permits: true,
  startedAt: true,
  heartbeatAt: true,
} as const

export type WorkerRow = Prisma.WorkerGetPayload<{ select: typeof WORKER_VIEW }>

/** `doctor` and `workers list` avoid Prisma's slow first query. */
const COLUMNS: Readonly<Record<keyof typeof WORKER_VIEW, string>> = {
  ...{ id: 'id', host: 'host', version: 'version', pools: 'pools', slots: 'slots', inFlight: 'in_flight' },
  ...{ gpus: 'gpus', server: 'server', permits: 'permits', startedAt: 'started_at', heartbeatAt: 'heartbeat_at' },
}
const WORKERS = `
  select ${Object.entries(COLUMNS).map(([name, column]) => `${column} as "${name}"`)}
  from worker order by heartbeat_at desc, id`

/** After this silence other workers take the jobs. */
export const DEAD_AFTER_MS = 5000
export const HEARTBEAT_MS = 1000
/** A worker without heartbeat stops its requests before others may use its permits. */
export const LEASE_MS = DEAD_AFTER_MS - 500

/**
 * Lists workers seen within a day, newest heartbeat first.
 * @throws UNAUTHORIZED, FORBIDDEN without the scope `operator`
 */
export async function workers(ctx: Context): Promise<WorkerRow[]> {
  requireOperator(ctx)
  return (await ctx.db.pool.query<WorkerRow>(WORKERS)).rows
}

/** Earlier versions stored only name and memory. */
interface StoredGpu {
  readonly name: string
  readonly memory_mib: number
  readonly memory_used_mib?: number | null
  readonly load_percent?: number | null
}

export const toStoredGpu = ({ name, memoryMib, memoryUsedMib, loadPercent }: Gpu): StoredGpu => ({
  name,
  memory_mib: memoryMib,
  memory_used_mib: memoryUsedMib,
  load_percent: loadPercent,
})

export const gpusOf = ({ gpus }: Pick<WorkerRow, 'gpus'>): Gpu[] =>
  (gpus as unknown as StoredGpu[]).map((gpu) => ({
    name: gpu.name,
    memoryMib: gpu.memory_mib,
    memoryUsedMib: gpu.memory_used_mib ?? null,
    loadPercent: gpu.load_percent ?? null,
  }))

export const silentGpusOf = ({ gpus }: Pick<WorkerRow, 'gpus'>): string[] =>
  (gpus as unknown as StoredGpu[])
    .filter((gpu) => gpu.memory_mib > 0 && gpu.memory_used_mib === null && gpu.load_percent === null)
    .map(({ name }) => name)

export interface Permit {
  readonly server: string
  readonly requests: number
}

export const permitsOf = ({ permits }: Pick<WorkerRow, 'permits'>): Permit[] =>
  Object.entries(permits as Readonly<Record<string, number>>).map(([server, requests]) => ({
    server: placeOfServer(server),
    requests,
  }))

export function serverOf({ server }: Pick<WorkerRow, 'server'>): ServerStatus | null {
  if (server === null) return null
  const { state, since, restarts, error } = server as { [Field in keyof ServerStatus]: unknown }
  return {
    state: state as ServerState,
    since: new Date(String(since)),
    restarts: Number(restarts),
    error: error === null ? null : String(error),
  }
}

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
  /** Seconds for each second of speech; other workers compare theirs. */
  readonly pace?: number | null
}

/** An engine's load in one worker, as the worker stores it. */
export interface EngineLoad {
  /** Texts at once in this worker; null: all workers share the limit of the server. */
  readonly slots: number | null
  readonly in_use: number
  /** Null: the engine loads no model. */
  readonly model: ModelState | null
}

export interface WorkerLoad {
  readonly pools: readonly string[]
  readonly slots: number
  readonly inFlight: number
  readonly gpus: readonly Gpu[]
  readonly server: ServerStatus | null
  /** Reasons by the keys of `awayParts` why engines are unusable. */
  readonly away: Readonly<Record<string, string>>
  /** By the keys of `engineParts`. */
  readonly engines: Readonly<Record<string, EngineLoad>>
}
