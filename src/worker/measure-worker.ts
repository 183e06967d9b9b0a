import { SHARED_POOLS } from '../catalog/job-kinds.ts'
import { OWNED_SERVER } from '../engines/engine-block.ts'
import { serverName } from '../engines/measure-request.ts'
import type { Dispatcher } from '../queue/dispatcher.ts'
import { voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { WorkerParts } from './kinds.ts'
import type { Pools } from './serve-pools.ts'
import { slotsInProcess } from './server-permits.ts'

interface Working {
  readonly pools: Pools | undefined
  /** By the type of their jobs. */
  readonly shared: ReadonlyMap<string, Dispatcher>
  readonly heartbeatAge: number
  /** True if the worker's own server is unwell; undefined without one. */
  readonly isUnwell: boolean | undefined
}

type MeasuredWorker = Pick<WorkerParts, 'permits' | 'threads'>

interface Served {
  readonly pool: string
  readonly slots: number
  readonly inFlight: number
}

export function measureWorker(runtime: Runtime, parts: MeasuredWorker, working: () => Working): () => void {
  const { telemetry } = runtime
  const { permits } = parts
  const byPool = (value: (pool: Served) => number) => () =>
    servedBy(runtime, parts, working()).map((one) => ({ labels: { pool: one.pool }, value: value(one) }))
  const byServer = (key: 'inUse' | 'permits' | 'limit') => () =>
    permits.servers().map(({ server, [key]: value }) => ({ labels: { server: serverName(server) }, value }))
  const ends = [
    telemetry.gauge(
      'worker_slots',
      byPool(({ slots }) => slots),
    ),
    telemetry.gauge(
      'worker_slots_in_use',
      byPool(({ inFlight }) => inFlight),
    ),
    telemetry.gauge(
      'worker_last_beat_age_seconds',
      byPool(() => working().heartbeatAge),
    ),
    telemetry.gauge('engine_requests_in_flight', byServer('inUse')),
    telemetry.gauge('engine_permits', byServer('permits')),
    telemetry.gauge('engine_limit', byServer('limit')),
    telemetry.gauge('engine_down', () => {
      const { isUnwell } = working()
      return isUnwell === undefined ? [] : [{ labels: { server: OWNED_SERVER }, value: Number(isUnwell) }]
    }),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function servedBy(runtime: Runtime, { permits, threads }: MeasuredWorker, { pools, shared }: Working): Served[] {
  const voice = (pools?.names ?? []).map((pool) => ({
    pool,
    slots: permits.countOf(voiceKind(pool)) + slotsInProcess(runtime, pool, threads),
    inFlight: pools?.inFlightOf(pool) ?? 0,
  }))
  const others = SHARED_POOLS.map(({ type, pool, queue }) => ({
    pool,
    slots: permits.countOf({ queue }),
    inFlight: shared.get(type)?.inFlight ?? 0,
  }))
  return [...voice, ...others]
}
