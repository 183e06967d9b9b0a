import type { Catalog } from '../context/catalog-snapshot.ts'
import { poolOf } from './voice-endpoint.ts'

const VOICE = 'voice.'
const GENERATION = 'generate.'
const COMPANION = 'companion'
export const GENERATION_POOL = 'cog'
const UNKNOWN = 'other'
export const RESERVED_POOLS: readonly string[] = [GENERATION_POOL, COMPANION, UNKNOWN]

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
