import { embeddedSlots, serverLimits } from '../catalog/engine-server.ts'
import { jobKinds, voiceKind } from '../queue/job-kind.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ServerPermits } from './server-permits.ts'

/** Jobs of a pool that run in this process's threads; so do, one at a time, those that no endpoint speaks for any more. */
export function slotsInProcess({ catalog }: Pick<Runtime, 'catalog'>, pool: string, threads: number): number {
  const servers = catalog.current
  const slots = embeddedSlots(servers, pool, threads)
  // One more than there are threads: while one job is stored and committed, every thread still has a text to speak.
  if (slots > 0) return slots + 1
  return serverLimits(servers, voiceKind(pool)).size === 0 ? threads + 1 : 0
}

/** Jobs that a worker with these pools runs at once at most, at servers and in its own threads. */
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
