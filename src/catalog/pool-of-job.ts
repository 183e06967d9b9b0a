import type { Catalog } from '../context/catalog-snapshot.ts'
import { poolOf } from './voice-endpoint.ts'

const VOICE = 'voice.'
const GENERATION = 'generate.'
const COMPANION = 'companion'
/** What measurements call the pool of generations, which every worker takes. */
export const GENERATION_POOL = 'cog'
/** Of endpoints and workflows that the operator has deleted: what measurements call them. */
const UNKNOWN = 'other'
/** What a pool of an endpoint's own would be mixed up with in measurements. */
export const RESERVED_POOLS: readonly string[] = [GENERATION_POOL, COMPANION, UNKNOWN]

/** The pool whose workers do the jobs of an endpoint, as the catalog has it now. */
export function poolOfJob({ current }: Catalog, endpointKey: string): string {
  if (endpointKey.startsWith(GENERATION)) return GENERATION_POOL
  if (!endpointKey.startsWith(VOICE)) return COMPANION
  const endpoint = current.endpoints.get(endpointKey.slice(VOICE.length))
  return endpoint === undefined ? UNKNOWN : poolOf(endpoint)
}

/** The endpoint's key where the catalog has it: measurements are not to grow with what callers ask for. */
export function knownKey({ current }: Catalog, endpointKey: string): string {
  const slug = endpointKey.slice(endpointKey.indexOf('.') + 1)
  if (endpointKey.startsWith(VOICE)) return current.endpoints.has(slug) ? endpointKey : UNKNOWN
  if (endpointKey.startsWith(GENERATION)) return current.workflows.has(slug) ? endpointKey : UNKNOWN
  return endpointKey
}
