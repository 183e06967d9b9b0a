import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireOperator } from '../access/require.ts'
import { placeOfServer } from '../catalog/files/hidden-password.ts'
import type { Context } from '../context/context.ts'
import type { Gpu, ServerState, ServerStatus } from './worker.ts'

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
