import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foldJobCounts } from '../../../src/jobs/list/jobs.ts'
import { newId } from '../../../src/values/id.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { startOwnDatabase } from '../../setup/postgres/own-database.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const WRITERS = 16
const STEPS = 60
const DEADLOCK = '40P01'
const TYPES = ['voice', 'companion_chat', 'generate']

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const rowsOf = async (sql: string, values: unknown[] = []) => (await service.runtime.db.pool.query(sql, values)).rows

/** The counters beside the real rows, by account, type, status and decision. */
const countedAndReal = async (rows = rowsOf) => [
  await rows(`select account_id, type::text, status::text, decision::text, sum(jobs)::int as jobs from job_count
                group by 1, 2, 3, 4 having sum(jobs) <> 0 order by 1, 2, 3, 4`),
  await rows(`select account_id, type::text, status::text, job_decision_of(is_prohibited)::text as decision, count(*)::int as jobs from job
                group by 1, 2, 3, 4 order by 1, 2, 3, 4`),
]

const FINISH = `update job set status = 'completed', completed_at = now(), is_prohibited = case when type = 'companion_chat' then true end`

/** Random work of one connection, some of it taken back, until it is done or its connection is gone. */
async function write(client: Client, accounts: readonly string[], random: () => number): Promise<void> {
  const account = () => accounts[Math.floor(random() * accounts.length)]!
  const steps: (() => Promise<unknown>)[] = [
    () =>
      client.query(
        `insert into job (id, account_id, type, endpoint_key, inputs, created_at)
         select id, $2, (enum_range(null::job_type))[1 + ordinality % 5], 'x', '{}', now() from unnest($1::text[]) with ordinality as t (id)`,
        [Array.from({ length: 3 }, () => newId('job')), account()],
      ),
    () =>
      client.query(
        `update job set status = 'processing', attempt = attempt + 1 where id in (select id from job where account_id = $1 and status = 'queued' limit 2 for update skip locked)`,
        [account()],
      ),
    () =>
      client.query(
        `${FINISH} where id in (select id from job where account_id = $1 and status = 'processing' limit 2 for update skip locked)`,
        [account()],
      ),
    () =>
      client.query(
        `delete from job where id in (select id from job where account_id = $1 limit 1 for update skip locked)`,
        [account()],
      ),
    // The locks of claiming and failing, in their two orders: counters that made transactions wait would end them here.
    () => client.query('update account set credits = credits - 1 where id = $1', [account()]),
  ]
  for (let step = 0; step < STEPS; step++) {
    await client.query('begin')
    for (let n = 0; n < 2; n++) await steps[Math.floor(random() * steps.length)]!()
    await client.query(random() < 0.2 ? 'rollback' : 'commit')
  }
}

/** The same for as long as its connection lasts; what a deadlock takes back is no end. */
async function writeUntilCut(client: Client, accounts: readonly string[], random: () => number): Promise<void> {
  for (let deadlocked = true; deadlocked; ) {
    try {
      await write(client, accounts, random)
    } catch (error) {
      deadlocked = (error as { code?: string }).code === DEADLOCK
      await client.query('rollback').catch(() => undefined)
    }
  }
}

/** Numbers that look random and are the same at every run. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

describe('the counters of jobs', () => {
  test('are exact after 16 writers at once, some of them killed in the middle', async () => {
    const callers = [await service.createCaller(), await service.createCaller()]
    const accounts = callers.map(({ account }) => account)
    const clients = Array.from(
      { length: WRITERS },
      () => new Client({ connectionString: service.runtime.db.url, application_name: 'storm' }),
    )
    for (const client of clients) client.on('error', () => undefined)
    await Promise.all(clients.map((client) => client.connect()))
    const pids = await rowsOf(`select pid from pg_stat_activity where application_name = 'storm' order by pid`)
    const storm = clients.map((client, index) =>
      write(client, accounts, numbers(index + 1)).then(
        () => 'done',
        (error) => error.code,
      ),
    )
    // Once the storm blows, one of four writers is gone, wherever it stands.
    await expect
      .poll(async () => (await rowsOf('select count(*)::int as n from job'))[0]?.n, { timeout: 60_000 })
      .toBeGreaterThan(20)
    for (const { pid } of pids.filter((_row, index) => index % 4 === 0))
      await rowsOf('select pg_terminate_backend($1)', [pid])
    const ends = await Promise.all(storm)
    await Promise.all(clients.map((client) => client.end().catch(() => undefined)))
    // Accounts and jobs may deadlock in this storm of random orders, and then one of the two is rolled back; most have to get through.
    expect(ends.filter((end) => end === 'done').length).toBeGreaterThanOrEqual(1)
    expect(ends.filter((end) => end !== 'done').length).toBeGreaterThanOrEqual(1)
    const [counted, real] = await countedAndReal()
    expect(counted).toEqual(real)
    expect(real?.length).toBeGreaterThan(4)
    for (const { account, key } of callers) {
      const { total } = (await call(`${service.url}/api/v1/jobs?limit=1`, { key })).json<{ total: number }>()
      expect([{ n: total }]).toEqual(
        await rowsOf('select count(*)::int as n from job where account_id = $1', [account]),
      )
    }
  })

  test('are exact after PostgreSQL was ended in the middle of 16 writers, twice', async () => {
    const own = await startOwnDatabase()
    const other = await startTestRuntime({ env: { DATABASE_URL: own.url, LOG_LEVEL: 'silent' } })
    try {
      const callers = [await other.createCaller(), await other.createCaller()]
      const accounts = callers.map(({ account }) => account)
      const rows = async (sql: string) => (await other.runtime.db.pool.query(sql)).rows
      for (const crash of [1, 2]) {
        const clients = Array.from({ length: WRITERS }, () => new Client({ connectionString: own.url }))
        for (const client of clients) client.on('error', () => undefined)
        await Promise.all(clients.map((client) => client.connect()))
        const cut = clients.map((client, index) => writeUntilCut(client, accounts, numbers(100 * crash + index)))
        const jobs = async () => (await rows('select count(*)::int as n from job'))[0]?.n
        const before = await jobs()
        await expect.poll(jobs, { timeout: 60_000 }).toBeGreaterThan(before + 100)
        await own.restart()
        await Promise.all(cut)
        await expect.poll(() => rows('select 1').catch(() => []), { timeout: 60_000 }).toHaveLength(1)
        const [counted, real] = await countedAndReal(rows)
        expect(counted).toEqual(real)
        expect(real?.length).toBeGreaterThan(4)
        for (const { account, key } of callers) {
          const [there] = await rows(`select count(*)::int as n from job where account_id = '${account}'`)
          const total = async () =>
            (await call(`${other.url}/api/v1/jobs?limit=1`, { key })).json<{ total: number }>().total
          await expect.poll(total, { timeout: 60_000 }).toBe(there.n)
        }
      }
    } finally {
      await other.close()
      await own.close()
    }
  }, 240_000)

  test('never make one transaction wait for another', async () => {
    const { account } = await service.createCaller()
    const open = Array.from({ length: 40 }, () => new Client({ connectionString: service.runtime.db.url }))
    await Promise.all(open.map((client) => client.connect()))
    const insert = (client: Client) =>
      client.query(
        `insert into job (id, account_id, type, endpoint_key, inputs, created_at) values ($1, $2, 'voice', 'x', '{}', now())`,
        [newId('job'), account],
      )
    for (const client of open) {
      await client.query(`set lock_timeout = '5s'; begin`)
      await insert(client)
    }
    await Promise.all(open.map((client) => client.query('commit').then(() => client.end())))
    expect(await rowsOf('select sum(jobs)::int as n from job_count where account_id = $1', [account])).toEqual([
      { n: 40 },
    ])
  })

  test('keep nothing of the connections that counted alone, but of those that still write', async () => {
    const { account } = await service.createCaller()
    const { pool } = service.runtime.db
    const open = Array.from({ length: 24 }, () => new Client({ connectionString: service.runtime.db.url }))
    await Promise.all(open.map((client) => client.connect()))
    const insert = (client: Client) =>
      client.query(
        `insert into job (id, account_id, type, endpoint_key, inputs, created_at) values ($1, $2, 'voice', 'x', '{}', now())`,
        [newId('job'), account],
      )
    const alone = async () =>
      (await rowsOf('select from job_count where account_id = $1 and shard >= 16', [account])).length
    for (let round = 0; round < 2; round++) {
      for (const client of open) {
        await client.query('begin')
        await insert(client)
      }
      // Each shard is taken: there is none to add to.
      await foldJobCounts(pool)
      expect(await alone()).toBe(round)
      await Promise.all(open.slice(0, -1).map((client) => client.query('commit')))
      await foldJobCounts(pool)
      expect(await alone()).toBe(round)
      await open.at(-1)?.query('commit')
      expect((await countedAndReal())[0]).toEqual((await countedAndReal())[1])
    }
    await foldJobCounts(pool)
    expect(await alone()).toBe(0)
    expect(await rowsOf('select sum(jobs)::int as n from job_count where account_id = $1', [account])).toEqual([
      { n: 48 },
    ])
    await Promise.all(open.map((client) => client.end()))
  })

  test('count nothing for an update that moves no job, and follow a truncate', async () => {
    const { account } = await service.createCaller()
    for (const type of TYPES) await insertJob(service.runtime.db, account, { type: type as 'voice', status: 'queued' })
    const version = () =>
      rowsOf('select xmin::text, ctid::text, jobs::int from job_count where account_id = $1 order by 1, 2', [account])
    const before = await version()
    await rowsOf('update job set attempt = attempt + 1, started_at = now() where account_id = $1', [account])
    expect(await version()).toEqual(before)
    await rowsOf('truncate job, artifact')
    expect(await countedAndReal()).toEqual([[], []])
  })
})
