import { setTimeout as wait } from 'node:timers/promises'
import type { Context, Parts } from '../context/context.ts'
import { clockOffsetMs } from '../db/clock-offset.ts'
import { NOTIFIER } from '../db/postgres-notifier.ts'
import { newId } from '../values/id.ts'
import { isLoopback } from '../values/loopback.ts'
import { type Check, error, ok, orOk, warning } from './finding.ts'

const LEAST_VERSION = 15
/** Own statements may take this long. */
const LEAST_TIMEOUT_MS = 60_000
const FULL_SHARE = 0.7
const CONNECTIONS_BESIDES = 4

/** Settings that durability and every text need. */
const NEEDED: Readonly<Record<string, string>> = {
  fsync: 'on',
  full_page_writes: 'on',
  server_encoding: 'UTF8',
  transaction_read_only: 'off',
}
const TIMEOUTS = [
  ...['statement_timeout', 'lock_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout'],
  'transaction_timeout',
]

export const serverCheck: Check<Context> = {
  check: 'PostgreSQL',
  run: async ({ db }) => {
    const names = [...Object.keys(NEEDED), 'server_version_num', 'server_version', 'synchronous_commit']
    const values = await settingsOf(db.pool, names)
    const version = Math.floor(Number(values.get('server_version_num')?.setting) / 10_000)
    const wrong = Object.entries(NEEDED).flatMap(([name, wanted]) => {
      const { setting } = values.get(name) ?? {}
      return setting === wanted ? [] : [error(`${name} is ${setting}`, `set ${name} = ${wanted}`)]
    })
    if (version < LEAST_VERSION) {
      wrong.push(error(`version ${version}`, `upgrade PostgreSQL to ${LEAST_VERSION} or newer`))
    }
    if (values.get('synchronous_commit')?.setting === 'off') {
      wrong.push(error('synchronous_commit is off: a crash loses accepted jobs', 'set synchronous_commit = on'))
    }
    return orOk(wrong, `version ${values.get('server_version')?.setting}, durable, takes writes`)
  },
}

export const timeoutCheck: Check<Context> = {
  check: 'timeouts',
  run: async ({ db }) => {
    const values = await settingsOf(db.pool, TIMEOUTS)
    const short = [...values.values()].flatMap(({ name, reset_val: limit }) =>
      Number(limit) > 0 && Number(limit) < LEAST_TIMEOUT_MS
        ? [
            warning(
              `${name} is ${limit} ms for this role`,
              `ALTER ROLE CURRENT_USER SET ${name} = 0, or at least one minute`,
            ),
          ]
        : [],
    )
    return orOk(short, 'none is shorter than a minute')
  },
}

const CONNECTIONS = `
  select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as server,
    (select rolconnlimit from pg_roles where rolname = current_user) as role,
    (select datconnlimit from pg_database where datname = current_database()) as database,
    (select count(*)::int from pg_stat_activity where datname = current_database() and application_name = $1) as processes,
    (select count(*)::int from worker where heartbeat_at > now() - interval '5 seconds') as workers`

export const connectionCheck: Check<Context> = {
  check: 'connections',
  needsSchema: true,
  run: async ({ db, settings }) => {
    const { rows } = await db.pool.query<Limits>(CONNECTIONS, [NOTIFIER])
    const { server = 0, role = -1, database = -1, workers = 0, processes: listening = 0 } = rows[0] ?? {}
    const limit = Math.min(...[server, role, database].filter((one) => one >= 0))
    // Each process has one listening connection, this one included.
    const processes = Math.max(listening, workers + 1)
    const needed = processes * (settings.databasePoolSize + CONNECTIONS_BESIDES)
    const found = `${processes} processes, this one and ${workers} with a worker among them, may take ${needed} of ${limit} connections`
    const remedy = 'lower DATABASE_POOL_SIZE, or raise max_connections and the limits of role and database'
    if (needed > limit) return [error(found, remedy)]
    return [needed > limit * FULL_SHARE ? warning(found, remedy) : ok(found)]
  },
}

export const addressCheck: Check<Pick<Parts, 'settings'> & { readonly publicUrl: string }> = {
  check: 'PUBLIC_URL',
  run: async ({ settings: { publicUrl, host }, publicUrl: known }) => {
    if (publicUrl !== null) return [ok(publicUrl)]
    if (isLoopback(host)) return [ok(`not set: ${known}`)]
    const found = `not set, and HOST is ${host}: URLs of audio begin with ${known}, however clients reach it`
    return [error(found, 'set PUBLIC_URL to the address that clients use')]
  },
}

const WARNING_MS = 1_000
const ERROR_MS = 60_000
const CLOCK_REMEDY = 'synchronise both machines by NTP'

/** The least difference between this machine's clock and the database's. */
export const clockCheck: Check<Context> = {
  check: 'clock',
  run: async ({ db }) => {
    const offMs = Math.abs(await clockOffsetMs(db.pool))
    const found = `${(offMs / 1000).toFixed(1)} s from the database's`
    if (offMs > ERROR_MS) return [error(found, CLOCK_REMEDY)]
    return [offMs > WARNING_MS ? warning(found, CLOCK_REMEDY) : ok(found)]
  },
}

const CHANNEL = 'sonant_doctor'
const LONGEST_WAIT_MS = 5_000
const DIRECT_REMEDY =
  'let DIRECT_DATABASE_URL, or DATABASE_URL, lead to the same server past any pooler in transaction mode'

/** Without notifications processes find work only by polling, seconds later. */
export const notificationCheck: Check<Context> = {
  check: 'notifications',
  run: async ({ db, notifier }) => {
    if (!notifier.connected) return [error('the connection that listens is lost', DIRECT_REMEDY)]
    const [own, over] = [newId('msg'), new AbortController()]
    const heard = Promise.withResolvers<boolean>()
    const unlisten = await notifier.listen(CHANNEL, (payload) => {
      if (payload === own) heard.resolve(true)
    })
    try {
      const sent = performance.now()
      await db.pool.query('select pg_notify($1, $2)', [CHANNEL, own])
      const late = wait(LONGEST_WAIT_MS, false, { signal: over.signal }).catch(() => false)
      const took = await Promise.race([heard.promise, late]).then((isHeard) => isHeard && performance.now() - sent)
      if (took === false) return [error(`one did not arrive within ${LONGEST_WAIT_MS / 1000} s`, DIRECT_REMEDY)]
      return [ok(`one arrived after ${took.toFixed(0)} ms`)]
    } finally {
      over.abort()
      unlisten()
    }
  },
}

/** Nothing without READ_DATABASE_URL. */
export const standbyCheck: Check<Pick<Context, 'db'>> = {
  check: 'standby',
  run: async ({ db: { standby } }) => {
    if (standby === undefined) return []
    const reason = await standby.reason()
    if (reason === null) return [ok('serves exports, statistics, counts and backups')]
    return [warning(`serves no reads, so the primary does: ${reason}`, 'look at the standby of READ_DATABASE_URL')]
  },
}

interface Setting {
  name: string
  setting: string
  reset_val: string
}

type Limits = Record<'server' | 'role' | 'database' | 'processes' | 'workers', number>

async function settingsOf(pool: Context['db']['pool'], names: readonly string[]): Promise<Map<string, Setting>> {
  const text = 'select name, setting, reset_val from pg_settings where name = any($1)'
  const { rows } = await pool.query<Setting>(text, [names])
  return new Map(rows.map((row) => [row.name, row]))
}
