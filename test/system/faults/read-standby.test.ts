import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { backUp } from '../../../src/backup/back-up.ts'
import { HungConnections, LossLog } from '../../../src/db/connections/hung-connections.ts'
import { longRead } from '../../../src/db/connections/long-read.ts'
import { FOR_READING, Servers } from '../../../src/db/connections/servers.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { atOneMoment } from '../../../src/db/one-moment.ts'
import { Snapshot } from '../../../src/db/snapshot.ts'
import { standbyCheck } from '../../../src/doctor/check-server.ts'
import { isDatabaseDown } from '../../../src/errors/outages.ts'
import { exportJobs } from '../../../src/jobs/export/export-jobs.ts'
import { openLog } from '../../../src/values/log.ts'
import { call } from '../../setup/http.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { startFaultProxy } from '../../setup/servers/fault-proxy.ts'
import { type PostgresPair, startPostgresPair } from '../../setup/servers/postgres-pair.ts'
import { ask } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const PLACE = 'select pg_is_in_recovery() as standby'
const ENDING = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sonant'`
const COUNTED = '{ jobs(first: 1) { totalCount } jobStats { jobs } }'
const TABLE = 'tables/job.copy.gz'

interface Counted extends Record<string, unknown> {
  readonly jobs: { readonly totalCount: number }
  readonly jobStats: readonly { readonly jobs: number }[]
}

describe('READ_DATABASE_URL', { timeout: TIMEOUT_MS * 2 }, () => {
  let pair: PostgresPair
  let service: TestRuntime
  let standby: Client
  let caller: Awaited<ReturnType<TestRuntime['createCaller']>>
  let dir: string
  let jobs = 0
  beforeAll(async () => {
    pair = await startPostgresPair()
    await pair.loosen()
    const env = { DATABASE_URL: pair.primaryUrl, READ_DATABASE_URL: pair.standbyUrl, LOG_LEVEL: 'silent' }
    service = await startTestRuntime({ env })
    caller = await service.createCaller()
    standby = new Client({ connectionString: pair.standbyUrl })
    standby.on('error', () => undefined)
    await standby.connect()
    dir = await mkdtemp(join(tmpdir(), 'sonant-standby-'))
  }, TIMEOUT_MS * 2)
  afterAll(async () => {
    await standby?.end().catch(() => undefined)
    await service?.close()
    await pair?.close()
    await rm(dir, { recursive: true, force: true })
  })

  const submit = async () => {
    jobs++
    return submitText(service.url, caller.key, 'tts', `Text ${jobs}.`, 'aria')
  }
  const isRead = async (place: 'standby' | 'primary') => {
    const { db } = service.runtime
    const { rows } = await longRead<{ standby: boolean }>(db, 'nobody', { text: PLACE })
    const snapshot = await Snapshot.open(db)
    const [copied] = await snapshot.query<{ standby: boolean }>(PLACE)
    snapshot.close()
    const found = [rows[0]?.standby, copied?.standby]
    return found.every((one) => one === (place === 'standby'))
  }
  const exported = async (): Promise<string> => {
    const [from, to] = [-3_600_000, 1_000].map((ms) => new Date(Date.now() + ms).toISOString())
    const reply = await call(`${service.url}/api/v1/jobs/export?from=${from}&to=${to}`, { key: caller.key })
    return reply.text
  }
  /** All doors know of a job as soon as its caller does. */
  const knowNewest = async () => {
    const id = await submit()
    const { data, errors } = await ask<Counted>(service.url, caller.key, COUNTED)
    expect(errors).toBeUndefined()
    expect([data?.jobs.totalCount, data?.jobStats.map((one) => one.jobs)]).toEqual([jobs, [jobs]])
    expect(await exported()).toContain(id)
  }
  const diagnosed = async () => (await standbyCheck.run(service.runtime)).map(({ found }) => found)
  const backedUpJobs = async (name: string) => {
    const { tables } = await backUp(service.runtime, join(dir, name))
    return tables.find(({ file }) => file.path === TABLE)?.rows
  }

  test('reads come from the standby, and have what was submitted just before', async () => {
    for (let round = 0; round < 5; round++) await knowNewest()
    await until(() => isRead('standby'), TIMEOUT_MS, 'the standby to serve reads')
    expect(await backedUpJobs('well')).toBe(jobs)
    expect(await diagnosed()).toEqual([expect.stringMatching(/^serves exports/)])
  })

  test('lists that hold all connections with their rows count at the standby, too', async () => {
    const { direct } = service.runtime.db
    const readers = async () => new Servers([pair.standbyUrl], FOR_READING)
    const route = { servers: direct, direct, readers, keepsSettings: true, areNamed: true }
    const db = openDatabase(route, openLog('silent'), 4)
    onTestFinished(() => db.close())
    const owners = ['one', 'other']
    const places = async () => {
      const found: (boolean | undefined)[] = []
      const all = Promise.withResolvers<void>()
      let begun = 0
      const list = (owner: string) =>
        atOneMoment(db, { kind: 'list', owner, signal: new AbortController().signal }, async (moment) => {
          await moment.pool.query('select')
          if (++begun === owners.length) all.resolve()
          await all.promise
          const { rows } = await longRead<{ standby: boolean }>(moment, owner, { text: PLACE })
          found.push(rows[0]?.standby)
          return {}
        })
      await Promise.all(owners.map(list))
      return found
    }
    const areRead = async () => (await places()).every((standby) => standby === true)
    await until(areRead, TIMEOUT_MS, 'both totals from the standby')
  })

  test('a connection beside the pool is ended once the standby answers it no more', async () => {
    const proxy = await startFaultProxy(pair.standbyUrl)
    onTestFinished(() => proxy.close())
    const hung = new HungConnections(new Servers([proxy.url], FOR_READING), new LossLog(openLog('silent')), 100)
    onTestFinished(() => hung.close())
    const client = await hung.connect({})
    proxy.rule = (bytes) => (bytes.includes('never arrives') ? 'silence' : null)
    const error = await client.query(`select 'never arrives'`).catch((reason) => reason)
    expect(isDatabaseDown(error)).toBe(true)
  })

  test('a standby that is paused, and falls behind, is passed over until it has caught up', async () => {
    await standby.query('select pg_wal_replay_pause()')
    for (let round = 0; round < 3; round++) await knowNewest()
    expect(await isRead('primary')).toBe(true)
    expect(await backedUpJobs('behind')).toBe(jobs)
    expect(await diagnosed()).toEqual([expect.stringMatching(/^serves no reads.*: it is behind the primary$/)])
    await standby.query('select pg_wal_replay_resume()')
    await until(() => isRead('standby'), TIMEOUT_MS, 'the standby to catch up')
  })

  test('a read that the standby ends, as it does in a conflict with recovery, is answered by the primary', async () => {
    const { db } = service.runtime
    const sleeping = `select pg_sleep(case when pg_is_in_recovery() then 600 else 0 end), pg_is_in_recovery() as standby`
    const read = longRead<{ standby: boolean }>(db, 'nobody', { text: sleeping })
    const sleeps = `select from pg_stat_activity where wait_event = 'PgSleep'`
    await until(async () => (await standby.query(sleeps)).rowCount === 1, TIMEOUT_MS, 'the read to be under way')
    await standby.query(ENDING)
    expect((await read).rows[0]?.standby).toBe(false)
    await until(() => isRead('standby'), TIMEOUT_MS, 'the standby to serve reads again')
    let isOver = false
    const ending = (async () => {
      while (!isOver) await standby.query(ENDING)
    })()
    for (let round = 0; round < 5; round++) await knowNewest()
    isOver = true
    await ending
  })

  test('an export of which no row was sent goes on with the primary as well', async () => {
    const id = await submit()
    await until(() => isRead('standby'), TIMEOUT_MS, 'the standby to serve reads')
    const holder = new Client({ connectionString: pair.primaryUrl })
    await holder.connect()
    // Only the rows of an export need this table, and the standby repeats the lock.
    await holder.query('begin; lock table api_key in access exclusive mode')
    const [from, to] = [-3_600_000, -100].map((ms) => new Date(Date.now() + ms)) as [Date, Date]
    const owner = { kind: 'account', accountId: caller.account, credits: 1n } as const
    const { csv } = await exportJobs(service.runtime.as(owner), { from, to })
    const read = text(csv)
    const held = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'copy%'`
    await until(async () => (await standby.query(held)).rowCount === 1, TIMEOUT_MS, 'the standby to hold it up')
    await standby.query(ENDING)
    await holder.query('rollback')
    await holder.end()
    expect(await read).toContain(id)
  })

  test('one that was promoted, or is gone, serves nothing', async () => {
    await until(() => isRead('standby'), TIMEOUT_MS, 'the standby to serve reads again')
    await pair.promote()
    for (let round = 0; round < 3; round++) await knowNewest()
    expect(await backedUpJobs('promoted')).toBe(jobs)
    expect(await diagnosed()).toEqual([expect.stringMatching(/: it is no standby any more$/)])
    await pair.killStandby()
    for (let round = 0; round < 3; round++) await knowNewest()
    expect(await backedUpJobs('gone')).toBe(jobs)
    expect(await isRead('primary')).toBe(true)
  })
})
