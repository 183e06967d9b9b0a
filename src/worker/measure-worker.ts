import { GENERATION_POOL } from '../catalog/engine-server.ts'
import { serverName } from '../engines/measure-request.ts'
import type { Dispatcher } from '../queue/dispatcher.ts'
import { GENERATION_KIND, voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { WorkerParts } from './kinds.ts'
import type { Pools } from './serve-pools.ts'
import { slotsInProcess } from './server-permits.ts'

interface Working {
  readonly pools: Pools | undefined
  readonly generation: Dispatcher | undefined
  readonly heartbeatAge: number
}

export function measureWorker(
  runtime: Runtime,
  { permits, threads }: Pick<WorkerParts, 'permits' | 'threads'>,
  working: () => Working,
): () => void {
  const { telemetry } = runtime
  const generations = () => permits.countOf(GENERATION_KIND)
  const slotsOf = (pool: string) => permits.countOf(voiceKind(pool)) + slotsInProcess(runtime, pool, threads)
  const byPool = (value: (pool: string, pools: Pools) => number, ofGenerations: () => number) => () => {
    const { pools } = working()
    const voice =
      pools === undefined ? [] : pools.names.map((pool) => ({ labels: { pool }, value: value(pool, pools) }))
    return [...voice, { labels: { pool: GENERATION_POOL }, value: ofGenerations() }]
  }
  const inFlight = (pool: string, pools: Pools) => pools.inFlightOf(pool)
  const byServer = (key: 'inUse' | 'permits' | 'limit') => () =>
    permits.servers().map(({ server, [key]: value }) => ({ labels: { server: serverName(server) }, value }))
  const ends = [
    telemetry.gauge('worker_slots', byPool(slotsOf, generations)),
    telemetry.gauge(
      'worker_slots_in_use',
      byPool(inFlight, () => working().generation?.inFlight ?? 0),
    ),
    telemetry.gauge(
      'worker_last_beat_age_seconds',
      byPool(
        () => working().heartbeatAge,
        () => working().heartbeatAge,
      ),
    ),
    telemetry.gauge('engine_requests_in_flight', byServer('inUse')),
    telemetry.gauge('engine_permits', byServer('permits')),
    telemetry.gauge('engine_limit', byServer('limit')),
  ]
  return () => {
    for (const end of ends) end()
  }
}
