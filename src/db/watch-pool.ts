import type { Pool } from 'pg'
import { secondsSince, type Telemetry } from '../telemetry/telemetry.ts'
import type { Servers } from './connections/servers.ts'
import { onAnswered, onceLost } from './connections/service-client.ts'
import type { ServicePool } from './connections/service-pool.ts'

const FOREIGN = /^boss_/
const TIMED_OUT = /timeout exceeded when trying to connect/

export function watchPool(pool: Pool, name: string, telemetry: Telemetry): void {
  if (!telemetry.measures) return
  telemetry.gauge('db_pool_connections', () => [
    { labels: { pool: name, state: 'idle' }, value: pool.idleCount },
    { labels: { pool: name, state: 'used' }, value: pool.totalCount - pool.idleCount },
  ])
  telemetry.gauge('db_pool_waiting', () => [{ labels: { pool: name }, value: pool.waitingCount }])
  pool.on('connect', (client) => {
    onceLost(client, () => telemetry.count('db_connection_losses_total', { connection: name }))
    onAnswered(client, (_error, query, begun) => {
      const statement = nameOf(query)
      if (statement !== undefined)
        telemetry.observe('db_statement_duration_seconds', { statement }, secondsSince(begun))
    })
  })
  ;(pool as ServicePool).onAcquired((error, begun) => {
    telemetry.observe('db_pool_acquire_seconds', { pool: name }, secondsSince(begun))
    if (TIMED_OUT.test(error?.message ?? '')) telemetry.count('db_pool_timeouts_total', { pool: name })
  })
}

export function watchDirect(servers: Servers, telemetry: Telemetry): void {
  telemetry.gauge('db_pool_connections', () => [{ labels: { pool: 'direct', state: 'used' }, value: servers.open }])
}

function nameOf(statement: unknown): string | undefined {
  const { name } = (statement ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' && !FOREIGN.test(name) ? name.split(' ', 1)[0] : undefined
}
