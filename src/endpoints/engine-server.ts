import { poolOf, type VoiceEndpoint } from './voice-endpoint.ts'

/** A speech server takes this many requests at once unless the operator says otherwise: latency jumps above it. */
const DEFAULT_MAX_IN_FLIGHT = 8
const EMBEDDED_KIND = 'espeak'

/** What renders an endpoint's jobs: a server's address, or the kind of an engine that runs inside the worker. */
export const serverOf = ({ engine }: Pick<VoiceEndpoint, 'engine'>): string =>
  typeof engine.base_url === 'string' ? engine.base_url : engine.kind

/** How many jobs may be at the endpoint's server at once, over all workers; null: as many as the workers have slots. */
export function maxInFlightOf({ engine }: VoiceEndpoint): number | null {
  const { max_in_flight: given } = engine
  if (typeof given === 'number' && Number.isInteger(given) && given > 0) return given
  return engine.kind === EMBEDDED_KIND ? null : DEFAULT_MAX_IN_FLIGHT
}

/** The limits of a pool's servers, or of all, by server. Where endpoints that share one disagree, of whatever pool, the lowest holds. */
export function serverLimits(endpoints: Iterable<VoiceEndpoint>, pool?: string): Map<string, number> {
  const limits = new Map<string, number>()
  const served = new Set<string>()
  for (const endpoint of endpoints) {
    const limit = maxInFlightOf(endpoint)
    if (limit === null) continue
    const server = serverOf(endpoint)
    limits.set(server, Math.min(limits.get(server) ?? limit, limit))
    if (pool === undefined || poolOf(endpoint) === pool) served.add(server)
  }
  return new Map([...limits].filter(([server]) => served.has(server)))
}

/** The pools whose jobs a server renders. */
export const serverPools = (endpoints: Iterable<VoiceEndpoint>, server: string): Set<string> =>
  new Set([...endpoints].filter((endpoint) => serverOf(endpoint) === server).map(poolOf))

/** Whether a pool has jobs for the engine inside the worker: what its processors can do at once is then the limit. */
export const hasEmbedded = (endpoints: Iterable<VoiceEndpoint>, pool: string): boolean =>
  [...endpoints].some((endpoint) => poolOf(endpoint) === pool && maxInFlightOf(endpoint) === null)
