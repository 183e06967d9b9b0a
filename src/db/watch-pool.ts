import type { Pool, PoolClient } from 'pg'
import { secondsSince, type Telemetry } from '../telemetry/telemetry.ts'
import type { Servers } from './connections/servers.ts'
import { onceLost } from './connections/wire.ts'

type Callback = (error: Error | undefined, ...rest: unknown[]) => void
type AnyFunction = (...args: unknown[]) => unknown

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
    timeStatements(client, telemetry)
  })
  const acquired = (begun: number) => (error: Error | undefined) => {
    telemetry.observe('db_pool_acquire_seconds', { pool: name }, secondsSince(begun))
    if (TIMED_OUT.test(error?.message ?? '')) telemetry.count('db_pool_timeouts_total', { pool: name })
  }
  pool.connect = timed(pool.connect.bind(pool) as AnyFunction, () => acquired(performance.now())) as Pool['connect']
}

export function watchDirect(servers: Servers, telemetry: Telemetry): void {
  telemetry.gauge('db_pool_connections', () => [{ labels: { pool: 'direct', state: 'used' }, value: servers.open }])
}

function timeStatements(client: PoolClient, telemetry: Telemetry): void {
  client.query = timed(client.query.bind(client) as AnyFunction, ([statement]) => {
    const name = nameOf(statement)
    if (name === undefined) return undefined
    const begun = performance.now()
    return () => telemetry.observe('db_statement_duration_seconds', { statement: name }, secondsSince(begun))
  }) as PoolClient['query']
}

function nameOf(statement: unknown): string | undefined {
  const { name } = (statement ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' && !FOREIGN.test(name) ? name.split(' ', 1)[0] : undefined
}

function timed(call: AnyFunction, begin: (args: readonly unknown[]) => Callback | undefined): AnyFunction {
  return (...args) => {
    const end = begin(args)
    if (end === undefined) return call(...args)
    const callback = args.at(-1)
    if (typeof callback === 'function') {
      const ended: Callback = (error, ...rest) => {
        end(error)
        ;(callback as Callback)(error, ...rest)
      }
      return call(...args.slice(0, -1), ended)
    }
    const result = call(...args)
    if (result instanceof Promise)
      result.then(
        () => end(undefined),
        (error: Error) => end(error),
      )
    return result
  }
}
