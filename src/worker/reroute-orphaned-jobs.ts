import { endpointRoute } from '../catalog/engine-server.ts'
import { endpointKey } from '../catalog/voice-endpoint.ts'
import type { Parts } from '../context/context.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'

/** Brings jobs to the pool of their endpoint that were released to one which no endpoint names any more. Returns how many there were. */
export async function rerouteOrphanedJobs({
  catalog,
  queue,
  telemetry,
}: Pick<Parts, 'catalog' | 'queue'> & MeasuredParts): Promise<number> {
  await catalog.reload()
  const endpoints = [...catalog.current.endpoints.values()]
  const moved = await queue.rerouteOrphaned(
    endpoints.map((endpoint) => ({ endpointKey: endpointKey(endpoint.slug), route: endpointRoute(endpoint) })),
  )
  if (moved > 0) telemetry.count('jobs_requeued_total', { reason: 'moved' }, moved)
  return moved
}
