import { embeddedSlots, serverLimits } from '../catalog/engine-server.ts'
import { jobKinds, voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ServerPermits } from './server-permits.ts'

/** Slots for jobs that run in this process, including a pool that no endpoint names. */
export function slotsInProcess({ catalog }: Pick<Runtime, 'catalog'>, pool: string, threads: number): number {
  const servers = catalog.current
  const slots = embeddedSlots(servers, pool, threads)
  // The extra slot keeps all threads busy while one job is stored.
  if (slots > 0) return slots + 1
  return serverLimits(servers, voiceKind(pool)).size === 0 ? threads + 1 : 0
}

export const slotsOver = (
  runtime: Pick<Runtime, 'catalog'>,
  pools: readonly string[],
  permits: ServerPermits,
  threads: number,
): number =>
  [
    ...jobKinds(pools).map((kind) => permits.countOf(kind)),
    ...pools.map((pool) => slotsInProcess(runtime, pool, threads)),
  ].reduce((sum, slots) => sum + slots, 0)
