import { poolOf } from '../../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Parts } from '../../context/context.ts'

const ALIVE_MS = 5000
const ALIVE = 'select host, server from worker where $1 = any(pools) and heartbeat_at >= $2'

interface Alive {
  readonly host: string
  readonly server: { readonly state: string; readonly error: string | null } | null
}

/**
 * Null if a living worker of the pool has a ready server of its own; else the state for the operator. Only that worker can reach its
 * server.
 */
export async function checkOwnedServer(
  parts: Pick<Parts, 'db' | 'now'>,
  endpoint: VoiceEndpoint,
): Promise<string | null> {
  const pool = poolOf(endpoint)
  const since = new Date(parts.now().getTime() - ALIVE_MS)
  const { rows: workers } = await parts.db.pool.query<Alive>(ALIVE, [pool, since])
  const servers = workers.flatMap(({ host, server }) => (server === null ? [] : [{ host, ...server }]))
  if (servers.some(({ state }) => state === 'ready')) return null
  if (servers.length === 0) return `No living worker of the pool ${pool} was started with --server.`
  const all = servers.map(({ host, state, error }) => `${host}: ${state}${error === null ? '' : ` (${error})`}`)
  return `No server of the pool ${pool} is ready. ${all.join('; ')}`
}
