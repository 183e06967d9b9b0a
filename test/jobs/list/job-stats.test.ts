import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteApiKey } from '../../../src/api-keys/change-api-key.ts'
import { newId } from '../../../src/values/id.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { ask, codeOf, read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
let caller: { account: string; key: string; keyId: string }
beforeAll(async () => {
  service = await startTestRuntime()
  caller = await fill()
})
afterAll(() => service.close())

const DAY = Date.parse('2026-03-01T00:00:00Z')
const at = (hours: number) => idAt(new Date(DAY + hours * 3_600_000))

/** Ten voice jobs on one day, of which one failed, and two others a day later. */
async function fill() {
  const made = await service.createCaller()
  const put = async (fields: JobFields, waitMs: number, runMs: number, cost: number) => {
    const id = await insertJob(service.runtime.db, made.account, fields)
    await service.runtime.db.pool.query(
      `update job set inputs = '{"text":"häuser"}', cost = $2, started_at = created_at + $3 * interval '1 ms',
         completed_at = case when completed_at is not null then created_at + ($3 + $4) * interval '1 ms' end where id = $1`,
      [id, cost, waitMs, runMs],
    )
    return id
  }
  for (let n = 1; n <= 10; n++) {
    const fields: JobFields = n === 10 ? { status: 'failed', errorCode: 'JOB_TIMEOUT' } : {}
    const id = await put({ id: at(1 + n / 100), apiKeyId: made.keyId, ...fields }, n * 100, n * 10, 6)
    if (n < 3)
      await service.runtime.db.pool.query(
        `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms) values ($1, $2, 'audio', $2, 'audio/wav', 4, $3, 1500)`,
        [newId('art'), id, randomBytes(32)],
      )
  }
  await put({ id: at(30), type: 'generate', status: 'processing' }, 5, 0, 10)
  await put({ id: at(47.5), type: 'companion_chat', isProhibited: false }, 7, 9, 0)
  return made
}

type Group = Record<string, unknown>
const stats = async (key: string, args: string, fields: string) =>
  (await read<{ jobStats: Group[] }>(service.url, key, `{ jobStats${args} { ${fields} } }`)).jobStats

describe('jobStats', () => {
  test('without groups, everything is one', async () => {
    const fields = 'jobs characters audioSeconds credits day type waitMs { p50 p95 p99 } runMs { p50 }'
    expect(await stats(caller.key, '(filter: {types: [VOICE]})', fields)).toEqual([
      {
        jobs: 10,
        characters: 60,
        audioSeconds: 3,
        credits: 54,
        day: null,
        type: null,
        waitMs: { p50: 550, p95: expect.closeTo(955), p99: expect.closeTo(991) },
        runMs: { p50: 55 },
      },
    ])
  })

  test.each([
    [
      '[DAY, STATUS]',
      'day status jobs',
      [
        { day: '2026-03-01T00:00:00.000Z', status: 'COMPLETED', jobs: 9 },
        { day: '2026-03-01T00:00:00.000Z', status: 'FAILED', jobs: 1 },
        { day: '2026-03-02T00:00:00.000Z', status: 'PROCESSING', jobs: 1 },
        { day: '2026-03-02T00:00:00.000Z', status: 'COMPLETED', jobs: 1 },
      ],
    ],
    [
      '[HOUR]',
      'hour jobs',
      [
        { hour: '2026-03-01T01:00:00.000Z', jobs: 10 },
        { hour: '2026-03-02T06:00:00.000Z', jobs: 1 },
        { hour: '2026-03-02T23:00:00.000Z', jobs: 1 },
      ],
    ],
    [
      '[ERROR_CODE]',
      'errorCode jobs',
      [
        { errorCode: 'JOB_TIMEOUT', jobs: 1 },
        { errorCode: null, jobs: 11 },
      ],
    ],
    [
      '[TYPE, TYPE]',
      'type jobs credits',
      [
        { type: 'VOICE', jobs: 10, credits: 54 },
        { type: 'COMPANION_CHAT', jobs: 1, credits: 0 },
        { type: 'GENERATE', jobs: 1, credits: 10 },
      ],
    ],
    [
      '[ENDPOINT]',
      'endpointKey jobs',
      [
        { endpointKey: 'chat.companion', jobs: 1 },
        { endpointKey: 'generate.portrait', jobs: 1 },
        { endpointKey: 'voice.tts', jobs: 10 },
      ],
    ],
  ])('by %s', async (groupBy, fields, expected) => {
    const groups = await stats(caller.key, `(groupBy: ${groupBy})`, fields)
    const sorted = (list: readonly object[]) => list.map((group) => JSON.stringify(group)).toSorted()
    expect(sorted(groups)).toEqual(sorted(expected))
  })

  test('by API_KEY, and within the window of a filter', async () => {
    const window = '{createdAt: {from: "2026-03-01T01:03:00.000Z", to: "2026-03-02T06:00:00.000Z"}}'
    const groups = await stats(caller.key, `(groupBy: [API_KEY], filter: ${window})`, 'apiKeyId jobs')
    // 1.05 to 1.10 hours.
    expect(groups).toEqual([{ apiKeyId: caller.keyId, jobs: 6 }])
  })

  test('by API_KEY each group says what its key is called, or was before it was deleted', async () => {
    const { key, keyId, account } = await service.createCaller()
    const { apiKeyId: deleted } = await service.createKey(account)
    const gone = newId('key')
    const used = [keyId, keyId, deleted, gone, null]
    const ids: string[] = []
    for (const apiKeyId of used) ids.push(await insertJob(service.runtime.db, account, { apiKeyId }))
    await deleteApiKey(service.runtime.as({ kind: 'system' }), { apiKeyId: deleted })
    const operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
    const [own, of] = ['(groupBy: [API_KEY])', `(account: "${account}", groupBy: [API_KEY])`]
    const fields = 'apiKeyId apiKeyName isApiKeyDeleted jobs'
    for (const groups of [await stats(key, own, fields), await stats(operator, of, fields)])
      expect(new Set(groups)).toEqual(
        new Set([
          { apiKeyId: keyId, apiKeyName: 'test', isApiKeyDeleted: false, jobs: 2 },
          { apiKeyId: deleted, apiKeyName: 'test', isApiKeyDeleted: true, jobs: 1 },
          { apiKeyId: gone, apiKeyName: null, isApiKeyDeleted: true, jobs: 1 },
          { apiKeyId: null, apiKeyName: null, isApiKeyDeleted: false, jobs: 1 },
        ]),
      )
    const named = `{ node(id: "${ids[2]}") { ... on Job { apiKeyName submittedBy { name } } } }`
    expect(await read(service.url, key, named)).toEqual({ node: { apiKeyName: null, submittedBy: { name: 'test' } } })
  })

  test('jobs that have not started, or not ended, do not count as done in no time', async () => {
    const { key, account } = await service.createCaller()
    const set = (id: string, ms: number) =>
      service.runtime.db.pool.query(`update job set started_at = created_at + $2 * interval '1 ms' where id = $1`, [
        id,
        ms,
      ])
    const queued = await insertJob(service.runtime.db, account, { id: at(1), status: 'queued' })
    await insertJob(service.runtime.db, account, { id: at(2), status: 'failed' })
    await set(await insertJob(service.runtime.db, account, { id: at(3), status: 'processing' }), 400)
    const fields = 'waitMs { p50 p99 } runMs { p50 p99 }'
    expect(await stats(key, '', fields)).toEqual([{ waitMs: { p50: 400, p99: 400 }, runMs: null }])
    expect(await stats(key, `(filter: {idPrefix: "${queued}"})`, fields)).toEqual([{ waitMs: null, runMs: null }])
    // It ends 1250 ms after its acceptance.
    await set(await insertJob(service.runtime.db, account, { id: at(4) }), 400)
    expect(await stats(key, '', fields)).toEqual([{ waitMs: { p50: 400, p99: 400 }, runMs: { p50: 850, p99: 850 } }])
  })

  test('no caller counts the jobs of others, and the scope is required', async () => {
    const other = await service.createCaller()
    expect(await stats(other.key, '', 'jobs waitMs { p50 }')).toEqual([{ jobs: 0, waitMs: null }])
    expect(await stats(other.key, '(groupBy: [ENDPOINT])', 'endpointKey')).toEqual([])
    const { apiKey } = await service.createKey(other.account, ['generate:voice'])
    expect(codeOf(await ask(service.url, apiKey, '{ jobStats { jobs } }'))).toBe('FORBIDDEN')
    expect(codeOf(await ask(service.url, null, '{ jobStats { jobs } }'))).toBe('UNAUTHORIZED')
    expect(codeOf(await ask(service.url, other.key, '{ jobStats(filter: {types: []}) { jobs } }'))).toBe(
      'INVALID_REQUEST',
    )
  })

  test('that read jobs one by one do so one at a time, and keep no sums waiting', async () => {
    const release = await service.runtime.db.scanShares.acquire(caller.account)
    const [filter, window] = [
      'filter: {durationMs: {from: 1}}',
      'from: "2026-03-01T00:00:00Z", to: "2026-03-02T00:00:00Z"',
    ]
    const ofJobs = [
      `{ jobStats(${filter}) { jobs } }`,
      `{ jobSeries(${filter}, ${window}, step: HOUR) { points { accepted } } }`,
      `{ jobs(${filter}) { totalCount } }`,
    ]
    try {
      const [sums, ...refused] = await Promise.all([
        stats(caller.key, '', 'jobs'),
        ...ofJobs.map((query) => ask(service.url, caller.key, query)),
      ])
      expect(refused.map(codeOf)).toEqual(Array(3).fill('RATE_LIMITED'))
      expect(sums).toEqual([{ jobs: 12 }])
      const other = await service.createCaller()
      expect(await stats(other.key, '(filter: {durationMs: {from: 1}})', 'jobs')).toEqual([{ jobs: 0 }])
    } finally {
      release()
    }
    expect(await stats(caller.key, '(filter: {durationMs: {from: 1}})', 'jobs')).toEqual([{ jobs: 11 }])
  })
})

describe('jobSeries', () => {
  const SERIES = `query ($from: DateTime!, $to: DateTime, $step: SeriesStep!, $timeZone: String, $filter: JobsFilter) {
    jobSeries(from: $from, to: $to, step: $step, timeZone: $timeZone, filter: $filter) {
      step points { at accepted completed failed waiting waitMs { p50 p99 } runMs { p50 } audioSeconds realTimeFactor }
    }
  }`
  interface Series {
    step: string
    points: { at: string; accepted: number; completed: number; failed: number; waiting: number; audioSeconds: number }[]
  }
  const series = async (key: string, variables: object) =>
    (await read<{ jobSeries: Series }>(service.url, key, SERIES, variables)).jobSeries
  const minute = (minutes: number) => new Date(DAY + minutes * 60_000).toISOString()

  /** Accepted, started and ended after so many minutes of the day. */
  async function put(account: string, fields: JobFields, [accepted, started, ended]: readonly (number | null)[]) {
    const id = await insertJob(service.runtime.db, account, { ...fields, id: at(accepted! / 60) })
    const timeAt = (name: string) => `created_at + (${name}::float8 - ${accepted}) * interval '1 minute'`
    await service.runtime.db.pool.query(
      `update job set started_at = ${timeAt('$2')}, completed_at = ${timeAt('$3')} where id = $1`,
      [id, started, ended],
    )
    return id
  }

  test('counts each event by its own time, and what waits at the end of each step', async () => {
    const { key, account } = await service.createCaller()
    await put(account, { status: 'completed' }, [-30, 1, 2])
    await put(account, { status: 'completed' }, [0.5, 3.5, 6.5])
    await put(account, { status: 'failed' }, [4.2, null, 5.2])
    await put(account, { status: 'processing' }, [1.1, 4.1, null])
    await put(account, { status: 'queued' }, [2.1, null, null])
    await put(account, { status: 'completed' }, [-30, -20, -10])
    const { step, points } = await series(key, { from: minute(1), to: minute(7), step: 'MINUTE' })
    expect([step, points.map((point) => point.at)]).toEqual(['MINUTE', [1, 2, 3, 4, 5, 6].map(minute)])
    expect(points.map(({ accepted, completed, failed, waiting }) => [accepted, completed, failed, waiting])).toEqual([
      [1, 0, 0, 2],
      [1, 1, 0, 3],
      [0, 0, 0, 2],
      [1, 0, 0, 2],
      [0, 0, 1, 1],
      [0, 1, 0, 1],
    ])
    expect(points[2]).toMatchObject({ waitMs: { p50: expect.closeTo(180_000, -4.2) }, runMs: null })
    expect(points[5]).toMatchObject({ waitMs: null, runMs: { p50: expect.closeTo(180_000, -4.2) } })
    const failures = await series(key, {
      from: minute(0),
      to: minute(7),
      step: 'HOUR',
      filter: { statuses: ['FAILED'] },
    })
    expect(failures.points).toMatchObject([{ at: minute(0), accepted: 1, completed: 0, failed: 1, waiting: 0 }])
  })

  test('is of another account, or of all together, for operators alone', async () => {
    const [one, other] = [await service.createCaller(), await service.createCaller()]
    const { apiKey: operator } = await service.createKey(one.account, ['operator'])
    const old = '2025-11-22T'
    const put = (account: string) =>
      insertJob(service.runtime.db, account, { id: idAt(new Date(`${old}10:20:00Z`)), status: 'failed' })
    await Promise.all([put(one.account), put(other.account), put(other.account)])
    const acceptedOf = async (whose: string, step: string) => {
      const query = `{ jobSeries(from: "${old}10:00:00Z", to: "${old}11:00:00Z", step: ${step}${whose}) { points { accepted failed } } }`
      const { jobSeries } = await read<{ jobSeries: Series }>(service.url, operator, query)
      return jobSeries.points.reduce((sum, { accepted, failed }) => sum + accepted + failed, 0)
    }
    for (const step of ['HOUR', 'MINUTE'])
      expect([await acceptedOf(', all: true', step), await acceptedOf(`, account: "${other.account}"`, step)]).toEqual([
        6, 4,
      ])
    for (const whose of ['all: true', `account: "${one.account}"`]) {
      const query = `{ jobSeries(from: "${old}10:00:00Z", step: DAY, ${whose}) { step } }`
      expect(codeOf(await ask(service.url, other.key, query))).toBe('FORBIDDEN')
      expect(codeOf(await ask(service.url, null, query))).toBe('UNAUTHORIZED')
    }
  })

  test('by hour, ends in the middle of one as it does by minute', async () => {
    const { key, account } = await service.createCaller()
    await put(account, { status: 'completed' }, [50, 70, 100])
    await put(account, { status: 'completed' }, [65, 80, 130])
    await put(account, { status: 'failed' }, [95, null, 96])
    await put(account, { status: 'queued' }, [75, null, null])
    const window = { from: minute(60), to: minute(98) }
    const byHour = await series(key, { ...window, step: 'HOUR' })
    expect(byHour.points).toMatchObject([
      { accepted: 3, completed: 0, failed: 1, waiting: 1, waitMs: { p99: expect.any(Number) } },
    ])
    const byMinute = await series(key, { ...window, step: 'MINUTE' })
    const sum = (name: 'accepted' | 'completed' | 'failed') =>
      byMinute.points.reduce((all, point) => all + point[name], 0)
    expect([sum('accepted'), sum('completed'), sum('failed'), byMinute.points.at(-1)?.waiting]).toEqual([3, 0, 1, 1])
    const longer = await series(key, { from: minute(0), to: minute(125), step: 'HOUR' })
    expect(longer.points.map(({ accepted, completed, waiting }) => [accepted, completed, waiting])).toEqual([
      [1, 0, 1],
      [3, 1, 1],
      [0, 0, 1],
    ])
  })

  test('is cut by the days of a time zone, through a change of its clocks', async () => {
    const berlin = { timeZone: 'Europe/Berlin', step: 'DAY' }
    const { points } = await series(caller.key, { ...berlin, from: '2026-03-28T12:00:00Z', to: '2026-03-31T00:00:00Z' })
    expect(points.map((point) => point.at)).toEqual([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T22:00:00.000Z',
    ])
    const day = await series(caller.key, { step: 'DAY', from: minute(0), to: minute(1440) })
    expect(day.points).toMatchObject([{ accepted: 10, completed: 9, failed: 1, waiting: 0, audioSeconds: 3 }])
  })

  test('says how long jobs ran for each second of audio, by sums as by jobs, and nothing where none was made', async () => {
    const factors = async (step: string, from: number, to: number) => {
      const query = `{ jobSeries(from: "${minute(from)}", to: "${minute(to)}", step: ${step}) { points { realTimeFactor } } }`
      const { jobSeries } = await read<{ jobSeries: { points: { realTimeFactor: number | null }[] } }>(
        service.url,
        caller.key,
        query,
      )
      return jobSeries.points.map(({ realTimeFactor }) => realTimeFactor)
    }
    const near = (factor: number) => expect.toSatisfy((value) => Math.abs(value / factor - 1) < 0.046)
    expect(await factors('DAY', 0, 2880)).toEqual([near(0.45 / 3), null])
    expect(await factors('MINUTE', 60, 63)).toEqual([near(0.01 / 1.5), near(0.05 / 1.5), null])
  })

  test('takes a longer step where there would be more than 10,000 points, and refuses what is no window', async () => {
    const year = { from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' }
    const long = await series(caller.key, { ...year, step: 'MINUTE' })
    expect([long.step, long.points.length]).toEqual(['HOUR', 8760])
    for (const wrong of [
      { from: minute(1), to: minute(1), step: 'HOUR' },
      { ...year, step: 'HOUR', timeZone: 'Mars/Olympus' },
      // Known to Node.js, and to no PostgreSQL since 2020.
      { ...year, step: 'HOUR', timeZone: 'US/Pacific-New' },
      { ...year, step: 'DAY', timeZone: 'US/Pacific-New' },
      { ...year, step: 'HOUR', timeZone: "UTC'; drop table job" },
      { from: '1900-01-01T00:00:00Z', to: minute(0), step: 'DAY' },
    ])
      expect(codeOf(await ask(service.url, caller.key, SERIES, wrong))).toBe('INVALID_REQUEST')
    const { apiKey } = await service.createKey(caller.account, ['generate:voice'])
    expect(codeOf(await ask(service.url, apiKey, SERIES, { ...year, step: 'DAY' }))).toBe('FORBIDDEN')
  })
})
