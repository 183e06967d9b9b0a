import { Client, escapeIdentifier } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { HungConnections, LossLog } from '../../src/db/connections/hung-connections.ts'
import { Servers } from '../../src/db/connections/servers.ts'
import { ServicePool } from '../../src/db/connections/service-pool.ts'
import { isDatabaseDown } from '../../src/errors/outages.ts'
import { openLog } from '../../src/values/log.ts'
import { call, freePorts } from '../setup/http.ts'
import { allFinished, submitText } from '../setup/jobs/voice-jobs.ts'
import { createTestDatabase, type TestDatabase } from '../setup/postgres/database.ts'
import { cleanUp, makeTempDir, run } from '../setup/processes/process.ts'
import { type Pgbouncer, pgbouncerProgram, startPgbouncer } from '../setup/servers/pgbouncer.ts'
import { ask } from '../setup/service/graphql.ts'
import { openSocketClient } from '../setup/service/subscriber.ts'
import { createOwner, openWebhookFixture } from '../setup/service/webhooks.ts'
import { until } from '../setup/wait.ts'

const JOBS = 24
/** With the three connections besides its pools a process takes 19 of the 20 that PgBouncer opens by default. */
const POOL_SIZE = '16'
const DAY_MS = 86_400_000
/** PgBouncer's default connections, and the rest that two pools leave. */
const [SERVERS, LEFT] = [20, 3]
const [CONNECT_TIMEOUT_MS, HUNG_POLL_MS] = [2_000, 100]
/** A lock that any connection may hold while a long statement waits for it. */
const LOCK = 4711
const MODES = ['session', 'transaction'] as const
const AS_OF = `select to_regclass('_prisma_migrations') as ledger, to_regnamespace('pgboss') as queue,
  (select count(*)::integer from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())) as locks`
const WAITING = `select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted`

interface Update {
  readonly jobsUpdated: { readonly id: string; readonly status: string }
}

describe.skipIf(pgbouncerProgram === undefined)('PgBouncer (skipped where it is not installed)', () => {
  let database: TestDatabase
  const bouncers = new Map<string, Pgbouncer>()
  beforeAll(async () => {
    database = await createTestDatabase('opened')
    const name = escapeIdentifier(new URL(database.url).pathname.slice(1))
    await inside(database, `alter database ${name} set timezone = 'Asia/Kathmandu'`)
    await inside(database, `alter database ${name} set datestyle = 'SQL, DMY'`)
    for (const mode of MODES) bouncers.set(mode, await startPgbouncer(inject('databaseUrl'), mode))
  })
  afterAll(async () => {
    await cleanUp()
    for (const bouncer of bouncers.values()) await bouncer.close()
    await database?.drop()
  })
  const through = (mode: string, { url }: TestDatabase) => bouncers.get(mode)!.through(url)

  test.each([
    ['session mode', 'session', () => ({})],
    ['transaction mode, with DIRECT_DATABASE_URL', 'transaction', (url: string) => ({ DIRECT_DATABASE_URL: url })],
  ] as const)(
    'carries jobs, notifications, counted lists, exports and webhooks in %s',
    async (_title, mode, direct) => {
      const { service, receiver, close } = await openWebhookFixture({
        worker: true,
        webhooks: true,
        env: {
          DATABASE_URL: through(mode, database),
          DATABASE_POOL_SIZE: POOL_SIZE,
          RATE_LIMIT_PER_MINUTE: '0',
          ...direct(database.url),
        },
      })
      try {
        const { key } = await createOwner(service, `${receiver.url}/${mode}`)
        const client = openSocketClient(service.url, key)
        const heard = client.subscribe<Update>('subscription { jobsUpdated { id status } }')
        const texts = Array.from({ length: JOBS }, (_none, n) => `Number ${n}.`)
        const ids = await Promise.all(texts.map((text) => submitText(service.url, key, 'tts', text, 'aria')))
        await allFinished(service.runtime, ids)
        const received = await receiver.waitFor(`/${mode}`, JOBS)
        expect(new Set(received.map(({ body }) => JSON.parse(String(body)).job_id))).toEqual(new Set(ids))
        const settings = `select current_setting('TimeZone') as zone, current_setting('DateStyle') as dates`
        const { rows } = await service.runtime.db.pool.query(settings)
        expect(rows).toEqual([{ zone: 'UTC', dates: 'ISO, MDY' }])
        await heard.waitFor(({ jobsUpdated }) => jobsUpdated.status === 'COMPLETED')
        client.dispose()
        expect(await ask(service.url, key, '{ jobs(first: 1) { totalCount } }')).toEqual({
          data: { jobs: { totalCount: JOBS } },
        })
        const [from, to] = [-DAY_MS, DAY_MS].map((ms) => new Date(Date.now() + ms).toISOString())
        const csv = await call(`${service.url}/api/v1/jobs/export?from=${from}&to=${to}`, { key })
        expect(csv.text.match(/,completed,/g)).toHaveLength(JOBS)
      } finally {
        await close()
      }
    },
  )

  test('in session mode without a free connection no long statement is cut, and a pool gives those who wait what becomes free of its own', async () => {
    const url = through('session', database)
    const clients = Array.from({ length: SERVERS - LEFT }, () => new Client(url))
    const [first, second] = [openPool(url), openPool(url)]
    const holder = new Client(database.url)
    try {
      for (const client of [holder, ...clients]) await client.connect()
      await holder.query('select pg_advisory_lock($1)', [LOCK])
      await Promise.all(clients.map((client) => client.query('select')))
      const brief = await first.connect()
      const long = [first, second].map((pool) => pool.query(`select pg_advisory_xact_lock(${LOCK}), 1 as answer`))
      const ended = Promise.allSettled(long)
      await until(async () => (await inside(database, WAITING)).length === long.length, 10_000, 'long statements')
      const waiting = first.query('select 2 as answer')
      const refused = second.query('select').catch((error: Error) => error)
      brief.release()
      expect((await waiting).rows).toEqual([{ answer: 2 }])
      const error = await refused
      expect([isDatabaseDown(error), (error as Error).message]).toEqual([
        true,
        'timeout exceeded when trying to connect',
      ])
      await holder.end()
      const answers = (await ended).map((end) => (end.status === 'fulfilled' ? end.value.rows[0].answer : end.reason))
      expect(answers).toEqual([1, 1])
    } finally {
      await Promise.all([holder, ...clients, first, second].map((one) => one.end()))
    }
  })

  test.each([
    ['migrate', ''],
    ['start', 'Sonant cannot start: '],
    ['serve', 'Sonant cannot start: '],
    ['work', 'Sonant cannot start: '],
  ])(
    'in transaction mode without DIRECT_DATABASE_URL "sonant %s" is refused in one sentence before anything is created or locked in it',
    async (command, says) => {
      const [empty, dataDir, [port]] = await Promise.all([createTestDatabase(), makeTempDir(), freePorts(1)])
      try {
        await inside(empty, 'drop schema public cascade; create schema public')
        const env = { DATABASE_URL: through('transaction', empty), DATA_DIR: dataDir, PORT: String(port) }
        const { code, stdout, stderr } = await run([command], env)
        expect([code, stdout]).toEqual([1, ''])
        expect(stderr.slice(0, says.length)).toBe(says)
        expect(stderr.slice(says.length)).toMatch(
          /^Check DATABASE_URL: [^\n]* transaction mode[^\n]*: set DIRECT_DATABASE_URL [^\n]*\.\n$/,
        )
        expect(await inside(empty, AS_OF)).toEqual([{ ledger: null, queue: null, locks: 0 }])
      } finally {
        await empty.drop()
      }
    },
  )
})

/** The pool of a process of its own. */
function openPool(url: string): ServicePool {
  const servers = new Servers([url])
  const hung = new HungConnections(servers, new LossLog(openLog('silent')), HUNG_POLL_MS)
  const pool = new ServicePool(servers, {
    ...{ max: 3, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, hung },
    ...{ settings: `set application_name = 'begun'`, statements: { areNamed: true, afterBegin: null } },
  })
  pool.on('error', () => undefined)
  return pool
}

/** Runs SQL without the pooler. */
async function inside({ url }: TestDatabase, sql: string): Promise<object[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<object>(sql).finally(() => client.end())
  return rows
}
