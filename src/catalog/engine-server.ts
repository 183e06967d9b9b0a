import type { Catalog, CatalogSnapshot, VoiceEndpoint, Workflow } from '../context/catalog-snapshot.ts'
import { DEFAULT_IN_FLIGHT, DEFAULT_SLOTS, modelKey, OWNED_SERVER, serverAddress } from '../engines/engine-block.ts'
import { GENERATION_KIND, type JobKind, voiceKind } from '../queue/job-kind.ts'
import type { QueueRoute } from '../queue/queue.ts'
import { poolOf } from './voice-endpoint.ts'

const EMBEDDED_KINDS: ReadonlySet<string> = new Set(['espeak', 'sherpa-onnx'])
const VOICE = 'voice.'
const GENERATION = 'generate.'
const COMPANION = 'companion'
export const GENERATION_POOL = 'cog'
const UNKNOWN = 'other'
export const RESERVED_POOLS: readonly string[] = [GENERATION_POOL, COMPANION, UNKNOWN]

type Servers = Pick<CatalogSnapshot, 'endpoints' | 'workflows'>

export const endpointRoute = ({ engine }: Pick<VoiceEndpoint, 'engine'>): QueueRoute => ({
  kind: voiceKind(poolOf({ engine })),
  server: typeof engine.base_url === 'string' ? serverAddress(engine.base_url) : engine.kind,
})

export const workflowRoute = ({ engine }: Pick<Workflow, 'engine'>): QueueRoute => ({
  kind: GENERATION_KIND,
  server: serverAddress(engine.base_url),
})

/**
 * Concurrent requests per server over all workers; the lowest limit of its endpoints and workflows holds.
 * @param kind restricts the result to servers of this queue
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

/** Concurrent requests that a worker may send to its own server; 0: these queues need none. */
export function ownedServerLimit(servers: Servers, queues: ReadonlySet<string>): number {
  const limits = usesOf(servers).flatMap(({ route, limit }) =>
    route.server === OWNED_SERVER && queues.has(route.kind.queue) ? [limit] : [],
  )
  return limits.length === 0 ? 0 : Math.min(...limits)
}

/** Identifies the external server or model of an engine; null for built-in engines and owned servers. */
export function awayKey({ engine }: Pick<VoiceEndpoint, 'engine'>): string | null {
  if (engine.kind === 'sherpa-onnx') return modelKey(engine)
  return typeof engine.base_url === 'string' && engine.base_url !== OWNED_SERVER ? serverAddress(engine.base_url) : null
}

export const serverQueues = (servers: Servers, server: string): Set<string> =>
  new Set(usesOf(servers).flatMap(({ route }) => (route.server === server ? [route.kind.queue] : [])))

/** Texts of a pool that one worker speaks at once, on its threads and model processes; 0: none. */
export function embeddedSlots({ endpoints }: Servers, pool: string, threads: number): number {
  const engines = [...endpoints.values()].flatMap((endpoint) =>
    poolOf(endpoint) === pool && maxInFlightOf(endpoint) === null ? [endpoint.engine] : [],
  )
  const models = engines.filter(({ kind }) => kind === 'sherpa-onnx')
  const slotsOf = new Map(models.map((model) => [modelKey(model), Number(model.slots ?? DEFAULT_SLOTS)]))
  const spoken = [...slotsOf.values()].reduce((sum, slots) => sum + slots, 0)
  return spoken + (models.length < engines.length ? threads : 0)
}

export const isBuiltInServed = ({ endpoints }: Servers, pools: readonly string[]): boolean =>
  [...endpoints.values()].some((endpoint) => endpoint.engine.kind === 'espeak' && pools.includes(poolOf(endpoint)))

interface Use {
  readonly route: QueueRoute
  readonly limit: number
}

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

/** null: limited by the workers' slots. */
function maxInFlightOf({ engine }: VoiceEndpoint): number | null {
  const { max_in_flight: given } = engine
  if (typeof given === 'number' && Number.isInteger(given) && given > 0) return given
  return EMBEDDED_KINDS.has(engine.kind) ? null : DEFAULT_IN_FLIGHT
}

export function poolOfJob({ current }: Catalog, endpointKey: string): string {
  if (endpointKey.startsWith(GENERATION)) return GENERATION_POOL
  if (!endpointKey.startsWith(VOICE)) return COMPANION
  const endpoint = current.endpoints.get(endpointKey.slice(VOICE.length))
  return endpoint === undefined ? UNKNOWN : poolOf(endpoint)
}

/** Bounds the labels of metrics: unknown keys share one. */
export function knownKey({ current }: Catalog, endpointKey: string): string {
  const slug = endpointKey.slice(endpointKey.indexOf('.') + 1)
  if (endpointKey.startsWith(VOICE)) return current.endpoints.has(slug) ? endpointKey : UNKNOWN
  if (endpointKey.startsWith(GENERATION)) return current.workflows.has(slug) ? endpointKey : UNKNOWN
  return endpointKey
}
