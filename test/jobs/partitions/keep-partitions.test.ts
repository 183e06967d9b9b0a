import { Client, type ClientConfig } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepPartitions } from '../../../src/jobs/partitions/keep-partitions.ts'
import { readPartitions } from '../../../src/jobs/partitions/partitions.ts'
import { dropOldJobs } from '../../../src/jobs/retention/drop-old-jobs.ts'
import { firstIdAt, newId } from '../../../src/values/id.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob } from '../../setup/jobs/jobs.ts'
import { JOB_DAYS, RETENTION } from '../../setup/jobs/retention.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const DAY_MS = 86_400_000
const ALWAYS = { jobs: 1, days: 0, fewest: 1 }
/** On a busy machine. What waits for a lock that is never given up waits for the end of the test. */
const LONGEST_WAIT_MS = 10_000
/** In PostgreSQL, of one write, whose lock is waited for 100 ms at a time; in the service it would be as long as on a busy machine. */
const LONGEST_MS = 1_000
const SOME_MS = 50
const NEVER = { jobs: 1_000_000, days: 30, fewest: 1_000_000 }

let service: TestRuntime
let caller: { account: string; key: string }
beforeEach(async () => {
  service = await startTestRuntime({ env: RETENTION })
  caller = await service.createCaller()
})
afterEach(() => service.close())

const run = async <Row extends Record<string, unknown>>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  (await service.runtime.db.pool.query<Row>(sql, values)).rows
const partitions = () => readPartitions(service.runtime.db.pool)
const namesOf = async (table: string) =>
  (await partitions()).filter((one) => one.table === table).map(({ name }) => name)
/** The service as it is after so many days. */
const inDays = (days: number) => {
  const { runtime } = service
  return { ...runtime, now: () => new Date(runtime.now().getTime() + days * DAY_MS) }
}

/** A completed job of that time with an artifact and a charge. */
async function put(at: Date): Promise<string> {
  const id = await insertJob(service.runtime.db, caller.account, { id: idAt(at) })
  await run(
    `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms, created_at)
     values ($1, $2, 'audio', $2 || '/1/audio.wav', 'audio/wav', 8, decode(repeat('00', 32), 'hex'), 10, $3)`,
    [newId('art', at), id, at],
  )
  await run(
    `insert into credit_entry (account_id, kind, amount, job_id, created_at) values ($1, 'charge', -5, $2, $3)`,
    [...[caller.account, id, at]],
  )
  return id
}

/** How long a write was in PostgreSQL before it had its locks, in milliseconds. */
const waitOfWrite = async () => {
  const ms = 'extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000 as ms'
  const [first] = await run<{ ms: number }>(`update job set parts_done = parts_done returning ${ms}`)
  return first?.ms ?? 0
}

/** As autovacuum does it. */
const analyze = () => run('vacuum analyze job')

const homesOf = async (id: string) =>
  (
    await run<{ home: string }>(
      `select tableoid::regclass::text as home from job where id = $1
       union all select tableoid::regclass::text from artifact where job_id = $1
       union all select tableoid::regclass::text from credit_entry where job_id = $1 order by 1`,
      [id],
    )
  ).map(({ home }) => home)

describe('partitions', () => {
  test('there is one of each table, whatever a small service does', async () => {
    await put(service.runtime.now())
    await analyze()
    await keepPartitions(inDays(1000))
    await keepPartitions(inDays(1000), NEVER)
    expect((await partitions()).map(({ name, from, until }) => [name, from, until])).toEqual([
      ['artifact_first', null, null],
      ['credit_entry_default', null, null],
      ['job_first', null, null],
    ])
  })

  test.each<[string, typeof ALWAYS]>([
    ['has as many jobs as it may', { jobs: 1, days: 10_000, fewest: 10_000 }],
    ['has jobs that are old enough, of which some will be deleted', { jobs: 10_000, days: 20, fewest: 1 }],
  ])('the newest is closed a week ahead once it %s', async (_what, limits) => {
    const old = await put(new Date(service.runtime.now().getTime() - 40 * DAY_MS))
    await analyze()
    await keepPartitions(service.runtime, limits)
    const bound = (await partitions()).find(({ name }) => name === 'job_first')?.until
    const [later] = (await partitions()).filter(({ table, from }) => table === 'job' && from !== null)
    expect(later).toMatchObject({ from: bound, until: null })
    const days =
      (Number(new Date(`${later?.name.slice(4).replace(/(....)(..)(..)/, '$1-$2-$3')}T00:00Z`)) -
        service.runtime.now().getTime()) /
      DAY_MS
    expect(days).toBeGreaterThanOrEqual(7)
    expect(days).toBeLessThanOrEqual(8)
    const day = later?.name.slice(4)
    const [now, then] = [
      await put(service.runtime.now()),
      await put(new Date(service.runtime.now().getTime() + 9 * DAY_MS)),
    ]
    for (const id of [old, now])
      expect(await homesOf(id)).toEqual(['artifact_first', 'credit_entry_default', 'job_first'])
    expect(await homesOf(then)).toEqual([`artifact_${day}`, `credit_entry_${day}`, `job_${day}`])
    // Its turn to be closed comes when it has jobs of its own.
    const before = await partitions()
    await run('delete from job where id = $1', [then])
    await analyze()
    await keepPartitions(service.runtime, limits)
    expect((await partitions()).map(({ name, until }) => [name, until])).toEqual(
      before.map(({ name, until }) => [name, until]),
    )
  })

  test('what is put into several is found, listed, counted, summed up and deleted as if it were one', async () => {
    const ids: string[] = []
    for (const days of [0, 10, 20, 30]) {
      const { now } = inDays(days)
      ids.unshift(await put(now()))
      await analyze()
      await keepPartitions({ ...service.runtime, now }, ALWAYS)
    }
    ids.unshift(await put(inDays(45).now()))
    expect(await namesOf('job')).toHaveLength(5)
    expect(new Set((await Promise.all(ids.map(homesOf))).flat()).size).toBeGreaterThan(9)
    const page = await call(`${service.url}/api/v1/jobs?to=${inDays(99).now().toISOString()}`, { key: caller.key })
    expect(page.json()).toMatchObject({ total: 5, jobs: ids.map((job_id) => ({ job_id })) })
    const second = await call(`${service.url}/api/v1/jobs?limit=2&offset=2`, { key: caller.key })
    expect(second.json()).toMatchObject({ total: 5, jobs: ids.slice(2, 4).map((job_id) => ({ job_id })) })
    const [counted] = await run<{ jobs: string }>('select sum(jobs) as jobs from job_count where account_id = $1', [
      caller.account,
    ])
    expect(Number(counted?.jobs)).toBe(5)
    for (const id of ids)
      expect((await call(`${service.url}/api/v1/voice/jobs/${id}`, { key: caller.key })).status).toBe(200)
    await expect(
      run(`insert into credit_entry (account_id, kind, amount, job_id) values ($1, 'charge', -5, $2)`, [
        caller.account,
        ids[0],
      ]),
    ).rejects.toThrow(/unique/)
    await run('delete from job where id = any($1)', [ids.slice(1)])
    expect(await run('select job_id from artifact')).toEqual([{ job_id: ids[0] }])
    const [left] = await run<{ jobs: string }>('select sum(jobs) as jobs from job_count where account_id = $1', [
      caller.account,
    ])
    expect(Number(left?.jobs)).toBe(1)
  })

  test('those that retention has emptied are dropped, and those of a range with a job that has to stay are not', async () => {
    const gone = await put(service.runtime.now())
    await analyze()
    await keepPartitions(service.runtime, ALWAYS)
    const stays = await insertJob(service.runtime.db, caller.account, {
      id: idAt(inDays(10).now()),
      status: 'processing',
    })
    await analyze()
    await keepPartitions(inDays(10), ALWAYS)
    const late = inDays(JOB_DAYS + 30)
    const names = (await partitions()).map(({ name }) => name)
    expect(names).toHaveLength(9)
    await keepPartitions(late, NEVER)
    expect((await partitions()).map(({ name }) => name)).toEqual(names)
    await dropOldJobs(late)
    await keepPartitions(late, NEVER)
    expect(await homesOf(gone)).toEqual(['credit_entry_default'])
    // None of the ledger, in which the balances are.
    const left = names.filter((name) => !name.endsWith('_first'))
    expect((await partitions()).map(({ name }) => name)).toEqual(left)
    // The one that stayed can still end, and be charged.
    await run(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256)
       values ('art_late', $1, 'audio', $1 || '/1/audio.wav', 'audio/wav', 8, decode(repeat('00', 32), 'hex'))`,
      [stays],
    )
    await run(`insert into credit_entry (account_id, kind, amount, job_id) values ($1, 'charge', -5, $2)`, [
      ...[caller.account, stays],
    ])
    await put(late.now())
    const page = await call(`${service.url}/api/v1/jobs`, { key: caller.key })
    expect(page.json()).toMatchObject({ total: 2 })
  })

  test('where jobs are kept for years, one is for a twelfth of that time', async () => {
    const settings = {
      ...service.runtime.settings,
      retention: { jobDays: 3650, archiveDays: 0, artifactDays: 0, chatDays: 0 },
    }
    await put(new Date(service.runtime.now().getTime() - 290 * DAY_MS))
    await analyze()
    const monthly = { jobs: 1000, days: 30, fewest: 1 }
    await keepPartitions({ ...service.runtime, settings }, monthly)
    expect(await namesOf('job')).toHaveLength(1)
    await keepPartitions({ ...inDays(15), settings }, monthly)
    expect(await namesOf('job')).toHaveLength(2)
  })

  test('one that belongs to a role is followed by one of that role, which the process is a member of', async () => {
    const [role, member] = [`owner_${process.pid}`, `member_${process.pid}`]
    const { runtime } = service
    await put(runtime.now())
    await analyze()
    await run(`create role ${role}; create role ${member} in role ${role}; grant all on schema public to ${role}`)
    try {
      for (const name of ['account', ...(await partitions()).flatMap(({ table, name }) => [table, name])])
        await run(`alter table ${name} owner to ${role}`)
      const connect = async (config: ClientConfig) => {
        const client = await runtime.db.watched.connect(config)
        await client.query(`set role ${member}`)
        return client
      }
      await keepPartitions({ ...runtime, db: { ...runtime.db, watched: { connect } } }, ALWAYS)
      const owners = await run(
        'select distinct relowner::regrole::text as owner from pg_class where relname = any($1)',
        [(await partitions()).map(({ name }) => name)],
      )
      expect(await namesOf('job')).toHaveLength(2)
      expect(owners).toEqual([{ owner: role }])
    } finally {
      await run(
        `reassign owned by ${role}, ${member} to current_user; drop owned by ${role}; drop role ${member}, ${role}`,
      )
    }
  })

  test('those that a view of an operator is about stay, and all else is done', async () => {
    for (const days of [0, 10]) {
      await put(inDays(days).now())
      await analyze()
      await keepPartitions(inDays(days), ALWAYS)
    }
    const late = inDays(JOB_DAYS + 30)
    const names = (await partitions()).map(({ name }) => name)
    await run('create view operators as select * from job_first')
    await dropOldJobs(late)
    const said: unknown[][] = []
    const log = Object.assign(Object.create(late.log), { warn: (...words: unknown[]) => said.push(words) })
    await keepPartitions({ ...late, log }, NEVER)
    expect(said).toEqual([
      [
        { err: expect.stringMatching(/other objects depend on/) },
        'the partitions artifact_first, job_first could not be dropped; trying again in a minute',
      ],
    ])
    expect(await namesOf('job')).toEqual([expect.stringMatching(/^job_\d+$/), 'job_first'])
    expect(names).toHaveLength(9)
    await run('drop view operators')
    await keepPartitions(late, NEVER)
    expect(await namesOf('job')).toHaveLength(1)
  })

  test('while a long transaction keeps what was begun from being given up, the log says so, and all else is done', async () => {
    const { runtime } = service
    await put(runtime.now())
    await analyze()
    await keepPartitions(runtime, ALWAYS)
    const bound = firstIdAt('job', inDays(20).now())
    const [open] = await namesOf('job')
    await run(`alter table ${open} add constraint partition_until check (id < '${bound}') not valid`)
    const said: unknown[][] = []
    const log = Object.assign(Object.create(runtime.log), { error: (...words: unknown[]) => said.push(words) })
    const reader = new Client({ connectionString: runtime.db.url })
    await reader.connect()
    try {
      await reader.query(
        `begin; select from ${open}; select pg_advisory_lock(hashtextextended('sonant partitions', 0))`,
      )
      await keepPartitions({ ...inDays(19.5), log }, NEVER)
      expect(said).toEqual([
        ['jobs will be refused within a day: end the long transactions that hold the table of jobs'],
      ])
      await reader.query('commit')
      await keepPartitions({ ...inDays(19.5), log }, NEVER)
      expect((await partitions()).filter(({ isDefault }) => !isDefault).map(({ closing }) => closing)).toEqual(
        Array(5).fill(null),
      )
      expect(said).toHaveLength(1)
      await put(inDays(21).now())
    } finally {
      await reader.end()
    }
  })

  test('what was broken off is ended by the next one, with the same bound, and given up when its time has nearly come', async () => {
    await put(service.runtime.now())
    await analyze()
    const bound = firstIdAt('job', new Date((Math.floor(Date.now() / DAY_MS) + 5) * DAY_MS))
    const check = (table: string, condition: string) =>
      run(`alter table ${table} add constraint partition_until check (${condition}) not valid`)
    await check('job_first', `id < '${bound}'`)
    await keepPartitions(inDays(4.5), NEVER)
    expect((await partitions()).map(({ closing }) => closing)).toEqual([null, null, null])
    await check('artifact_first', `job_id < '${bound}'`)
    await check('credit_entry_default', `job_id is null or job_id < '${bound}'`)
    await keepPartitions(inDays(4.5), NEVER)
    expect((await partitions()).map(({ closing }) => closing)).toEqual([null, null, null])
    await check('job_first', `id < '${bound}'`)
    await check('artifact_first', `job_id < '${bound}'`)
    await keepPartitions(service.runtime, NEVER)
    const ended = await partitions()
    expect(ended.filter(({ name }) => /_first$/.test(name)).map(({ until }) => until)).toEqual([bound, bound])
    expect(ended.filter(({ from }) => from !== null).map(({ from }) => from)).toEqual([bound, bound, bound])
    await put(inDays(6).now())
  })

  // A reader of `account` holds up the last one of the tables that are locked together.
  test.each(['job', 'account'])(
    'while another transaction holds %s no write waits for long, and it is done once that has ended',
    async (table) => {
      await put(service.runtime.now())
      await analyze()
      const reader = new Client({ connectionString: service.runtime.db.url })
      await reader.connect()
      try {
        await reader.query(`begin; select from ${table} limit 1`)
        const closing = keepPartitions(service.runtime, ALWAYS)
        let [longest, ended] = [0, false]
        closing.finally(() => {
          ended = true
        })
        while (!ended) longest = Math.max(longest, await waitOfWrite())
        await closing
        expect(longest).toBeGreaterThan(SOME_MS)
        expect(longest).toBeLessThan(LONGEST_MS)
        await put(service.runtime.now())
        expect(await namesOf('job')).toEqual(['job_first'])
        await reader.query('commit')
        // Others of the service may hold it up for a moment, too.
        const isDone = async () => {
          await keepPartitions(service.runtime, ALWAYS)
          return (await namesOf('job')).length === 2
        }
        await until(isDone, 30_000, 'the partition to be closed')
      } finally {
        await reader.end()
      }
    },
  )

  test('one is closed while callers submit and a worker speaks: no job is refused, and none waits for long', async () => {
    const answers: number[] = []
    let [longest, ended] = [0, false]
    const submit = async () => {
      while (!ended) {
        const since = performance.now()
        const body = { inputs: { text: 'Go on.', voice: 'aria' } }
        answers.push((await call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: caller.key, body })).status)
        longest = Math.max(longest, performance.now() - since)
      }
    }
    const worker = await startWorker(service.runtime)
    const submitting = Promise.all([submit(), submit()])
    await until(() => answers.length > 10, 30_000, 'some jobs')
    await analyze()
    for (let tries = 0; (await namesOf('job')).length === 1 && tries < 20; tries++)
      await keepPartitions(service.runtime, ALWAYS)
    const closed = answers.length
    await until(() => answers.length > closed + 10, 30_000, 'some more')
    ended = true
    await submitting
    await worker.stop()
    expect(await namesOf('job')).toHaveLength(2)
    expect(new Set(answers)).toEqual(new Set([202]))
    expect(longest).toBeLessThan(LONGEST_WAIT_MS)
    expect(await run('select count(*)::int as jobs from job')).toEqual([{ jobs: answers.length }])
    expect(await run(`select count(*)::int as jobs from job where status = 'failed'`)).toEqual([{ jobs: 0 }])
  })

  test('what the planner knows of all partitions together is kept, as autovacuum never does it', async () => {
    await run(
      `insert into job (id, account_id, type, endpoint_key, inputs, created_at)
       select $1 || lpad(n::text, 16, '0'), $2, 'generate', 'x', '{}', now() from generate_series(1, 10000) n`,
      [idAt(service.runtime.now()).slice(0, 14), caller.account],
    )
    await run('vacuum analyze job_first')
    const known = async () =>
      (
        await run(`select reltuples::int as rows, exists (select from pg_stats where tablename = 'job' and inherited) as "isKnown"
        from pg_class where oid = 'job'::regclass`)
      )[0]
    expect(await known()).toEqual({ rows: 0, isKnown: false })
    await keepPartitions(service.runtime, NEVER)
    expect(await known()).toEqual({ rows: 10_000, isKnown: true })
    await run('delete from job')
    await run('vacuum analyze job_first')
    await keepPartitions(service.runtime, NEVER)
    expect(await known()).toEqual({ rows: 10_000, isKnown: true })
  })

  test('of several processes one closes it', async () => {
    await put(service.runtime.now())
    await analyze()
    await Promise.all([1, 2, 3, 4].map(() => keepPartitions(service.runtime, ALWAYS)))
    expect(await namesOf('job')).toHaveLength(2)
  })

  test('a new one has the settings, rights and statistics of the one before', async () => {
    await run('grant select on job, job_first to public')
    await put(service.runtime.now())
    await analyze()
    await keepPartitions(service.runtime, ALWAYS)
    const [first, next] = await namesOf('job')
    const of = async (name: string | undefined) =>
      run(
        `select reloptions, relacl::text, (select count(*)::int from pg_statistic_ext where stxrelid = c.oid) as statistics,
           (select count(*)::int from pg_index where indrelid = c.oid and indisvalid) as indexes,
           (select array_agg(tgname::text || tgenabled::text order by tgname) from pg_trigger where tgrelid = c.oid and not tgisinternal) as triggers,
           (select array_agg(conname::text order by conname) from pg_constraint where conrelid = c.oid and conname not like 'partition%'
              and contype <> 'p') as constraints
         from pg_class c where relname = $1`,
        [name],
      )
    expect(await of(next)).toEqual(await of(first))
    expect((await of(next))[0]).toMatchObject({ statistics: 3, indexes: 12 })
  })

  test('a role that does not own the tables leaves them as they are', async () => {
    const { runtime } = service
    const role = `partitions_${process.pid}`
    await put(runtime.now())
    await analyze()
    await run(`create role ${role}`)
    const pool = await runtime.db.pool.connect()
    try {
      await pool.query(`set role ${role}`)
      await keepPartitions({ ...runtime, db: { ...runtime.db, pool: pool as never } }, ALWAYS)
      expect(await namesOf('job')).toEqual(['job_first'])
    } finally {
      pool.release(true)
      await run(`drop role ${role}`)
    }
  })
})
