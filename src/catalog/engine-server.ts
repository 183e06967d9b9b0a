import type { CatalogSnapshot, VoiceEndpoint, Workflow } from '../context/catalog-snapshot.ts'
import { DEFAULT_IN_FLIGHT, DEFAULT_SLOTS, serverAddress } from '../engines/engine-block.ts'
import { OWNED_SERVER } from '../engines/owned-server.ts'
import { modelKey } from '../engines/sherpa/model-key.ts'
import { GENERATION_KIND, type JobKind, voiceKind } from '../queue/job-kind.ts'
import type { QueueRoute } from '../queue/queue.ts'
import { poolOf } from './voice-endpoint.ts'

const EMBEDDED_KINDS: ReadonlySet<string> = new Set(['espeak', 'sherpa-onnx'])

/** What names servers. */
type Servers = Pick<CatalogSnapshot, 'endpoints' | 'workflows'>

/** Where an endpoint's jobs wait. */
export const endpointRoute = ({ engine }: Pick<VoiceEndpoint, 'engine'>): QueueRoute => ({
  kind: voiceKind(poolOf({ engine })),
  server: typeof engine.base_url === 'string' ? serverAddress(engine.base_url) : engine.kind,
})

/** Where a workflow's jobs wait. */
export const workflowRoute = ({ engine }: Pick<Workflow, 'engine'>): QueueRoute => ({
  kind: GENERATION_KIND,
  server: serverAddress(engine.base_url),
})

/**
 * The limits of a queue's servers, or of all, by server: how many requests may be there at once, over all workers, or at each worker's own
 * server. Where endpoints and workflows that share one disagree, of whatever queue, the lowest holds.
 */
export function serverLimits(servers: Servers, kind?: JobKind): Map<string, number> {
  const limits = new Map<string, number>()
  const served = new Set<string>()
  for (const { route, limit } of usesOf(servers)) {
    limits.set(route.server, Math.min(limits.get(route.server) ?? limit, limit))
    if (kind === undefined || route.kind.queue === kind.queue) served.add(route.server)
  }
  return new Map([...limits].filter(([server]) => served.has(server)))
}

/** How many requests at once a worker that takes jobs from these queues may have at its own server; 0: none of them is for it. */
export function ownedServerLimit(servers: Servers, queues: ReadonlySet<string>): number {
  const limits = usesOf(servers).flatMap(({ route, limit }) =>
    route.server === OWNED_SERVER && queues.has(route.kind.queue) ? [limit] : [],
  )
  return limits.length === 0 ? 0 : Math.min(...limits)
}

/** Names the server or the model that an engine depends on. null if the engine is part of this service, or each worker owns its server. */
export function awayKey({ engine }: Pick<VoiceEndpoint, 'engine'>): string | null {
  if (engine.kind === 'sherpa-onnx') return modelKey(engine)
  return typeof engine.base_url === 'string' && engine.base_url !== OWNED_SERVER ? serverAddress(engine.base_url) : null
}

/** The queues whose jobs a server works on. */
export const serverQueues = (servers: Servers, server: string): Set<string> =>
  new Set(usesOf(servers).flatMap(({ route }) => (route.server === server ? [route.kind.queue] : [])))

/**
 * How many texts of a pool are spoken at once inside a worker: by as many threads as it has, and by the processes of each model.
 * 0: the pool has no such jobs.
 */
export function embeddedSlots({ endpoints }: Servers, pool: string, threads: number): number {
  const engines = [...endpoints.values()].flatMap((endpoint) =>
    poolOf(endpoint) === pool && maxInFlightOf(endpoint) === null ? [endpoint.engine] : [],
  )
  const models = engines.filter(({ kind }) => kind === 'sherpa-onnx')
  const slotsOf = new Map(models.map((model) => [modelKey(model), Number(model.slots ?? DEFAULT_SLOTS)]))
  const spoken = [...slotsOf.values()].reduce((sum, slots) => sum + slots, 0)
  return spoken + (models.length < engines.length ? threads : 0)
}

/** Whether the built-in engine speaks for an endpoint of one of these pools. */
export const isBuiltInServed = ({ endpoints }: Servers, pools: readonly string[]): boolean =>
  [...endpoints.values()].some((endpoint) => endpoint.engine.kind === 'espeak' && pools.includes(poolOf(endpoint)))

interface Use {
  readonly route: QueueRoute
  readonly limit: number
}

/** Asked for with every job, of snapshots that never change. */
const known = new WeakMap<Servers, readonly Use[]>()

function usesOf(servers: Servers): readonly Use[] {
  const uses = known.get(servers) ?? readUses(servers)
  known.set(servers, uses)
  return uses
}

function readUses({ endpoints, workflows }: Servers): Use[] {
  const spoken = [...endpoints.values()].flatMap((endpoint) => {
    const limit = maxInFlightOf(endpoint)
    return limit === null ? [] : [{ route: endpointRoute(endpoint), limit }]
  })
  const generated = [...workflows.values()].map((workflow) => ({
    route: workflowRoute(workflow),
    limit: workflow.engine.max_in_flight,
  }))
  return [...spoken, ...generated]
}

/** null: as many as the workers have slots. */
function maxInFlightOf({ engine }: VoiceEndpoint): number | null {
  const { max_in_flight: given } = engine
  if (typeof given === 'number' && Number.isInteger(given) && given > 0) return given
  return EMBEDDED_KINDS.has(engine.kind) ? null : DEFAULT_IN_FLIGHT
}
