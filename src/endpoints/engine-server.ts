import { poolOf, type VoiceEndpoint } from './voice-endpoint.ts'

/** A speech server takes this many requests at once unless the operator says otherwise: latency jumps above it. */
const DEFAULT_MAX_IN_FLIGHT = 8
const EMBEDDED_KIND = 'espeak'

/** What renders an endpoint's jobs: a server's address, or the kind of an engine that runs inside the worker. */
export const serverOf = ({ engine }: VoiceEndpoint): string =>
  typeof engine.base_url === 'string' ? engine.base_url : engine.kind

/** How many jobs may be at the endpoint's server at once, over all workers; null: as many as the workers have slots. */
export function maxInFlightOf({ engine }: VoiceEndpoint): number | null {
  const { max_in_flight: given } = engine
  if (typeof given === 'number' && Number.isInteger(given) && given > 0) return given
  return engine.kind === EMBEDDED_KIND ? null : DEFAULT_MAX_IN_FLIGHT
}

/** The limits of a pool's servers, by server. Where endpoints that share one disagree, the lowest holds. */
export function serverLimits(endpoints: Iterable<VoiceEndpoint>, pool: string): Map<string, number> {
  const limits = new Map<string, number>()
  for (const endpoint of endpoints) {
    const limit = maxInFlightOf(endpoint)
    if (poolOf(endpoint) !== pool || limit === null) continue
    const server = serverOf(endpoint)
    limits.set(server, Math.min(limits.get(server) ?? limit, limit))
  }
  return limits
}

/** Whether a pool has jobs for the engine inside the worker: what its processors can do at once is then the limit. */
export const hasEmbedded = (endpoints: Iterable<VoiceEndpoint>, pool: string): boolean =>
  [...endpoints].some((endpoint) => poolOf(endpoint) === pool && maxInFlightOf(endpoint) === null)
