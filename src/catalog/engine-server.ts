import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import { serverAddress, serversOf } from '../engines/engine.ts'
import { DEFAULT_SLOTS, modelKey, OWNED_SERVER } from '../engines/engine-block.ts'
import type { JobKind } from '../queue/job-kind.ts'
import type { QueueRoute } from '../queue/queue.ts'
import { endpointLimits, QUEUED_KINDS, type ServerLimit, type Servers, SHARED_QUEUES } from './job-kinds.ts'
import { poolOf } from './voice-endpoint.ts'

/**
 * Concurrent requests per server over all workers; the lowest limit of its endpoints and workflows holds.
 * @param kind restricts the result to servers of this queue
 */
export function serverLimits(servers: Servers, kind?: JobKind): Map<string, number> {
  const limits = new Map<string, number>()
  const served = new Set<string>()
  for (const { route, limits: given } of usesOf(servers)) {
    for (const { server, limit } of given) {
      limits.set(server, Math.min(limits.get(server) ?? limit, limit))
      if (kind === undefined || route.kind.queue === kind.queue) served.add(server)
    }
  }
  return new Map([...limits].filter(([server]) => served.has(server)))
}

/** Names under which jobs of this queue wait for servers. */
export const serverRoutes = (servers: Servers, { queue }: JobKind): Set<string> =>
  new Set(usesOf(servers).flatMap(({ route }) => (route.kind.queue === queue ? [route.server] : [])))

/** Concurrent requests that a worker may send to its own server; 0: these queues need none. */
export function ownedServerLimit(servers: Servers, queues: ReadonlySet<string>): number {
  const limits = usesOf(servers).flatMap(({ route, limits }) =>
    route.server === OWNED_SERVER && queues.has(route.kind.queue) ? limits.map(({ limit }) => limit) : [],
  )
  return limits.length === 0 ? 0 : Math.min(...limits)
}

/** The engine at each of its servers alone, by address (`worker`: each worker's own); at the model that it loads; or by its kind. */
export function engineParts({ engine }: Pick<VoiceEndpoint, 'engine'>): Map<string, VoiceEndpoint['engine']> {
  if (engine.kind === 'sherpa-onnx') return new Map([[modelKey(engine), engine]])
  return new Map(
    serversOf(engine).map((server) => {
      const { base_url: address } = server
      if (typeof address !== 'string') return [engine.kind, engine]
      return [serverAddress(address), server === engine ? engine : { ...engine, servers: [server] }]
    }),
  )
}

/** The parts that can be away: all but the built-in engine and the workers' own servers. */
export const awayParts = (endpoint: Pick<VoiceEndpoint, 'engine'>): Map<string, VoiceEndpoint['engine']> =>
  new Map([...engineParts(endpoint)].filter(([key, { kind }]) => key !== kind && key !== OWNED_SERVER))

/** Shared queues that have something to serve. */
export const sharedQueues = (servers: Servers): string[] =>
  SHARED_QUEUES.filter((queue) => usesOf(servers).some(({ route }) => route.kind.queue === queue))

export const serverQueues = (servers: Servers, server: string): Set<string> =>
  new Set(
    usesOf(servers).flatMap(({ route, limits }) =>
      limits.some((one) => one.server === server) ? [route.kind.queue] : [],
    ),
  )

/** Texts of a pool that one worker speaks at once, on its threads and model processes; 0: none. */
export function embeddedSlots({ endpoints }: Servers, pool: string, threads: number): number {
  const engines = [...endpoints.values()].flatMap((endpoint) =>
    poolOf(endpoint) === pool && endpointLimits(endpoint).length === 0 ? [endpoint.engine] : [],
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
  readonly limits: readonly ServerLimit[]
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
      const limits = kind.limitsOf(target)
      return limits.length === 0 ? [] : [{ route: kind.routeOf(target), limits }]
    }),
  )
