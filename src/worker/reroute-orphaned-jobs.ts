import { endpointRoute } from '../catalog/engine-server.ts'
import { endpointKey } from '../catalog/voice-endpoint.ts'
import type { Parts } from '../context/context.ts'
import type { MeasuredParts } from '../telemetry/telemetry.ts'

/** Moves jobs from pools that no endpoint names to their endpoint's pool. Returns their number. */
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
