import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import { serverAddress } from '../engines/engine.ts'
import { DEFAULT_SLOTS, modelKey, OWNED_SERVER } from '../engines/engine-block.ts'
import type { JobKind } from '../queue/job-kind.ts'
import type { QueueRoute } from '../queue/queue.ts'
import { endpointLimit, QUEUED_KINDS, type Servers, SHARED_QUEUES } from './job-kinds.ts'
import { poolOf } from './voice-endpoint.ts'

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

/** Shared queues that have something to serve. */
export const sharedQueues = (servers: Servers): string[] =>
  SHARED_QUEUES.filter((queue) => usesOf(servers).some(({ route }) => route.kind.queue === queue))

export const serverQueues = (servers: Servers, server: string): Set<string> =>
  new Set(usesOf(servers).flatMap(({ route }) => (route.server === server ? [route.kind.queue] : [])))

/** Texts of a pool that one worker speaks at once, on its threads and model processes; 0: none. */
export function embeddedSlots({ endpoints }: Servers, pool: string, threads: number): number {
  const engines = [...endpoints.values()].flatMap((endpoint) =>
    poolOf(endpoint) === pool && endpointLimit(endpoint) === null ? [endpoint.engine] : [],
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

const readUses = (servers: Servers): Use[] =>
  QUEUED_KINDS.flatMap((kind) =>
    [...kind.targets(servers).values()].flatMap((target) => {
      const limit = kind.limitOf(target)
      return limit === null ? [] : [{ route: kind.routeOf(target), limit }]
    }),
  )
