import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/values/id.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { ask, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

interface Group {
  readonly day: string | null
  readonly hour: string | null
  readonly jobs: number
}

interface Days {
  readonly jobSeries: { readonly points: readonly { readonly at: string; readonly accepted: number }[] }
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const TEXT = 'Ten letter'
const STATS = `query ($by: [JobGroup!], $zone: String, $filter: JobsFilter) {
  jobStats(groupBy: $by, timeZone: $zone, filter: $filter) { day hour jobs }
}`
const SERIES = `query ($from: DateTime!, $to: DateTime, $zone: String, $filter: JobsFilter) {
  jobSeries(from: $from, to: $to, step: DAY, timeZone: $zone, filter: $filter) { points { at accepted } }
}`
/** Each with a day to look around: the clocks change on most of them. */
const ZONES = [
  ['UTC', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Asia/Kolkata', '2026-03-29'],
  ['Asia/Kathmandu', '2026-03-29'],
  ['America/St_Johns', '2026-03-08'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Pacific/Chatham', '2026-04-05'],
  // Midnight occurs twice.
  ['Atlantic/Azores', '2026-10-25'],
  ['America/Havana', '2026-11-01'],
] as const

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const localIn = (zone: string, at: string | number | Date): string =>
  new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' }).format(new Date(at))
const counted = (names: readonly string[]) =>
  Object.entries(Object.groupBy(names, (name) => name)).map(([name, all]) => [name, all!.length])

async function putEach(account: string, times: readonly number[], job: JobFields = {}): Promise<void> {
  for (const time of times) await insertJob(service.runtime.db, account, { id: idAt(new Date(time)), ...job })
}

describe.each(ZONES)('in %s around %s', (zone, date) => {
  const noon = Date.parse(`${date}T12:00:00Z`)
  /** Every 29 minutes of three days, so that each hour and half an hour has jobs. */
  const times = Array.from({ length: 149 }, (_, index) => noon - 36 * HOUR_MS + index * 29 * MINUTE_MS)

  test('days and hours are those of the zone, and begin when its clocks say so, in statistics as in series', async () => {
    const { account, key } = await service.createCaller()
    await putEach(account, times)
    // No roll-up has durations, so that filter reads the jobs themselves.
    for (const filter of [null, { durationMs: { from: 0 } }]) {
      const groups = async (by: string[]) =>
        (await read<{ jobStats: Group[] }>(service.url, key, STATS, { by, zone, filter })).jobStats
      const days = await groups(['DAY'])
      expect(days.map(({ day, jobs }) => [localIn(zone, day!).slice(0, 10), jobs])).toEqual(
        counted(times.map((time) => localIn(zone, time).slice(0, 10))),
      )
      expect(days.map(({ day }) => localIn(zone, day!).slice(11))).toEqual(days.map(() => '00:00:00'))
      for (const { day } of days) {
        const before = localIn(zone, Date.parse(day!) - 1)
        expect(before.slice(0, 10) < localIn(zone, day!).slice(0, 10)).toBe(true)
      }
      const window = { from: new Date(times[0]!), to: new Date(times.at(-1)! + 1) }
      const { jobSeries } = await read<Days>(service.url, key, SERIES, { ...window, zone, filter })
      expect(jobSeries.points).toEqual(days.map(({ day, jobs }) => ({ at: day, accepted: jobs })))
      const hours = await groups(['DAY', 'HOUR'])
      expect(hours.reduce((sum, { jobs }) => sum + jobs, 0)).toBe(times.length)
      for (const { day, hour } of hours) {
        // Where clocks change by half an hour, an hour of that day begins at half past.
        if (zone !== 'Australia/Lord_Howe') expect(localIn(zone, hour!).slice(14)).toBe('00:00')
        expect(localIn(zone, hour!).slice(0, 10)).toBe(localIn(zone, day!).slice(0, 10))
      }
    }
  })
})

test('a day of 23 hours and one of 25 hold their own jobs alone', async () => {
  const { account, key } = await service.createCaller()
  const begins = ['2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z']
  await putEach(
    account,
    begins.flatMap((at) => [Date.parse(at) - 1, Date.parse(at)]),
  )
  const { jobStats } = await read<{ jobStats: Group[] }>(service.url, key, STATS, {
    by: ['DAY'],
    zone: 'Europe/Berlin',
  })
  expect(jobStats.map(({ day, jobs }) => [day, jobs])).toEqual([
    ['2026-03-27T23:00:00.000Z', 1],
    ['2026-03-28T23:00:00.000Z', 2],
    ['2026-03-29T22:00:00.000Z', 1],
    ['2026-10-23T22:00:00.000Z', 1],
    ['2026-10-24T22:00:00.000Z', 2],
    ['2026-10-25T23:00:00.000Z', 1],
  ])
})

test('usage by key by day in local time is one query', async () => {
  const { account, key, keyId } = await service.createCaller()
  const put = async (at: string, apiKeyId: string | null, cost: number) => {
    const id = await insertJob(service.runtime.db, account, { id: idAt(new Date(at)), apiKeyId })
    const { pool } = service.runtime.db
    await pool.query('update job set cost = $2, inputs = $3 where id = $1', [id, cost, { text: TEXT }])
    await pool.query(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms) values ($1, $2, 'audio', $2, 'audio/wav', 4, $3, 1500)`,
      [newId('art'), id, randomBytes(32)],
    )
  }
  await put('2026-08-01T18:29:59.999Z', keyId, 1)
  await put('2026-08-01T18:30:00Z', keyId, 2)
  await put('2026-08-02T18:29:59.999Z', keyId, 4)
  await put('2026-08-02T10:00:00Z', null, 8)
  const query = `query ($createdAt: TimeRange) {
    jobStats(groupBy: [API_KEY, DAY], timeZone: "Asia/Kolkata", filter: { createdAt: $createdAt }) {
      apiKeyId day jobs credits characters audioSeconds
    }
  }`
  const createdAt = { from: '2026-07-31T18:30:00Z', to: '2026-08-31T18:30:00Z' }
  const { jobStats } = await read<{ jobStats: object[] }>(service.url, key, query, { createdAt })
  const day = (apiKeyId: string | null, begin: string, jobs: number, credits: number) => ({
    ...{ apiKeyId, day: begin, jobs, credits, characters: TEXT.length * jobs, audioSeconds: 1.5 * jobs },
  })
  expect(jobStats).toEqual([
    day(keyId, '2026-07-31T18:30:00.000Z', 1, 1),
    day(keyId, '2026-08-01T18:30:00.000Z', 2, 6),
    day(null, '2026-08-01T18:30:00.000Z', 1, 8),
  ])
})

test('jobs are put together by voice, language, user and tag, and those without one are a group', async () => {
  const { account, key } = await service.createCaller()
  const [voice, userId] = [newId('voice'), newId('user')]
  const jobs: JobFields[] = [
    { voice: 'calm', language: 'English', tags: ['a,b', '{x}'] },
    { voice, language: 'German', tags: ['{x}'], userId },
    { voice, language: null, tags: [] },
    { type: 'generate', tags: null, userId },
  ]
  for (const job of jobs) await insertJob(service.runtime.db, account, job)
  const by = async (group: string, field: string) => {
    const query = `{ jobStats(groupBy: [${group}]) { ${field} jobs } }`
    const { jobStats } = await read<{ jobStats: Record<string, unknown>[] }>(service.url, key, query)
    return jobStats.map((row) => [row[field], row.jobs])
  }
  expect([await by('VOICE', 'voice'), await by('LANGUAGE', 'language')]).toEqual([
    [
      ['calm', 1],
      [voice, 2],
      [null, 1],
    ],
    [
      ['English', 1],
      ['German', 1],
      [null, 2],
    ],
  ])
  expect([await by('USER', 'userId'), await by('TAG', 'tag')]).toEqual([
    [
      [userId, 2],
      [null, 2],
    ],
    [
      ['a,b', 1],
      ['{x}', 2],
      [null, 2],
    ],
  ])
  const both = '{ jobStats(groupBy: [TAG, VOICE], filter: {tags: ["{x}"]}) { tag voice jobs } }'
  expect((await read<{ jobStats: object[] }>(service.url, key, both)).jobStats).toEqual([
    { tag: 'a,b', voice: 'calm', jobs: 1 },
    { tag: '{x}', voice: 'calm', jobs: 1 },
    { tag: '{x}', voice, jobs: 1 },
  ])
})

test.each(['Europe/Nowhere', 'CET; drop table job', ''])('the time zone %j is refused', async (zone) => {
  const { key } = await service.createCaller()
  const { errors } = await ask(service.url, key, STATS, { by: ['DAY'], zone })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST', details: [{ path: '/timeZone' }] })
})
