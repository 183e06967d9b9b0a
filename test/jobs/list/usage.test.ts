import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { usage } from '../../../src/jobs/list/usage.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { runHere, sonantHere } from '../../setup/processes/command-here.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const WINDOW = 'from=2026-03-01&to=2026-03-03'

let service: TestRuntime
let account: string
let key: string
let keyId: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  ;({ account, key, keyId } = await service.createCaller())
  await insert('2026-03-01T22:30:00Z', { apiKeyId: keyId, cost: '5', voice: 'calm', tags: ['a', 'b'] })
  await insert('2026-03-01T23:30:00Z', { cost: '7', voice: 'calm', tags: ['a'] })
  await insert('2026-03-02T01:00:00Z', { cost: '11', status: 'failed' })
  await insert('2026-03-03T00:00:00Z', { cost: '13' })
})
afterAll(() => service?.close())

const insert = (at: string, job: JobFields) =>
  insertJob(service.runtime.db, account, { id: idAt(new Date(at)), ...job })
const get = (search: string, by = key) => call(`${service.url}/api/v1/data/usage?${search}`, { key: by })
const rows = async (search: string) => {
  const { status, text, json } = await get(search)
  expect(status, text).toBe(200)
  return json<{ as_of: string; rows: Record<string, unknown>[] }>().rows
}
const sums = { characters: 0, audio_seconds: 0 }

describe('usage', () => {
  test('is the sums of each day, or of each hour, of the acceptance of jobs', async () => {
    const { as_of } = (await get(WINDOW)).json<{ as_of: string }>()
    expect(Math.abs(Date.now() - Date.parse(as_of))).toBeLessThan(60_000)
    expect(await rows(WINDOW)).toEqual([
      { bucket: '2026-03-01T00:00:00.000Z', jobs: 2, credits: 12, ...sums },
      { bucket: '2026-03-02T00:00:00.000Z', jobs: 1, credits: 0, ...sums },
    ])
    expect((await rows(`${WINDOW}&bucket=hour`)).map(({ bucket, jobs }) => [bucket, jobs])).toEqual([
      ['2026-03-01T22:00:00.000Z', 1],
      ['2026-03-01T23:00:00.000Z', 1],
      ['2026-03-02T01:00:00.000Z', 1],
    ])
  })

  test("says the database's time of its snapshot, also if that waited for the end of the window", async () => {
    const caller = await service.createCaller()
    const ctx = service.runtime.as({ kind: 'account', accountId: caller.account, credits: 0n })
    const to = new Date(Date.now() + 500)
    const { asOf } = await usage(ctx, { from: new Date('2026-03-01'), to })
    expect(asOf.getTime()).toBeGreaterThan(to.getTime())
    expect(asOf.getTime()).toBeLessThanOrEqual(Date.now() + 1)
    const yesterday = { ...ctx, now: () => new Date(Date.now() - 86_400_000) }
    const later = await usage(yesterday, { from: new Date('2026-03-01'), to: new Date('2026-03-03') })
    expect(later.asOf.getTime()).toBeGreaterThanOrEqual(asOf.getTime())
  })

  test('that reads jobs one by one does so one at a time, and keeps no sums waiting', async () => {
    const release = await service.runtime.db.scanShares.acquire(account)
    try {
      const [sums, scan] = await Promise.all([get(WINDOW), get(`${WINDOW}&group_by=voice`)])
      expect([sums.status, scan.status]).toEqual([200, 429])
    } finally {
      release()
    }
    expect((await get(`${WINDOW}&group_by=voice`)).status).toBe(200)
  })

  test('has days of a time zone, and the groups that are asked for', async () => {
    expect(await rows(`${WINDOW}&time_zone=Europe/Berlin`)).toMatchObject([
      { bucket: '2026-02-28T23:00:00.000Z', jobs: 1, credits: 5 },
      { bucket: '2026-03-01T23:00:00.000Z', jobs: 2, credits: 7 },
    ])
    expect(await rows(`${WINDOW}&group_by=api_key,endpoint,type,status`)).toEqual(
      expect.arrayContaining([
        {
          ...{ bucket: '2026-03-01T00:00:00.000Z', api_key_id: keyId, endpoint_key: 'voice.tts', type: 'voice' },
          ...{ status: 'completed', jobs: 1, credits: 5, ...sums },
        },
      ]),
    )
    expect(await rows(`${WINDOW}&group_by=tag`)).toEqual(
      expect.arrayContaining([
        { bucket: '2026-03-01T00:00:00.000Z', tag: 'a', jobs: 2, credits: 12, ...sums },
        { bucket: '2026-03-01T00:00:00.000Z', tag: 'b', jobs: 1, credits: 5, ...sums },
      ]),
    )
    expect(await rows(`${WINDOW}&group_by=voice`)).toContainEqual({
      bucket: '2026-03-01T00:00:00.000Z',
      voice: 'calm',
      jobs: 2,
      credits: 12,
      ...sums,
    })
  })

  test('is what jobStats counts', async () => {
    const query = `{ jobStats(groupBy: [DAY, STATUS], filter: {createdAt: {from: "2026-03-01T00:00:00Z", to: "2026-03-03T00:00:00Z"}}) {
      day status jobs credits } }`
    const { jobStats } = await read<{ jobStats: Record<string, unknown>[] }>(service.url, key, query)
    expect(
      (await rows(`${WINDOW}&group_by=status`)).map(({ bucket, status, jobs, credits }) => ({
        day: bucket,
        status: String(status).toUpperCase(),
        jobs,
        credits,
      })),
    ).toEqual(jobStats)
  })

  test('is a table at the command line, or the JSON of REST', async () => {
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    const args = ['usage', '--account', account, '--from', '2026-03-01', '--to', '2026-03-03']
    const { stdout } = await runHere([...args, '--group-by', 'status', '--time-zone', 'Europe/Berlin'], env)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    ).toEqual([
      ['FROM (UTC)', 'STATUS', 'JOBS', 'CREDITS', 'CHARACTERS', 'AUDIO S'],
      ['2026-02-28T23:00:00.000Z', 'completed', '1', '5', '0', '0'],
      ['2026-03-01T23:00:00.000Z', 'completed', '1', '7', '0', '0'],
      ['2026-03-01T23:00:00.000Z', 'failed', '1', '0', '0', '0'],
    ])
    const { rows: shown } = await sonantHere<{ rows: unknown[] }>(env, ...args)
    expect(shown).toEqual(await rows(WINDOW))
  })

  test('refuses unknown parameters and groups, long and empty windows, unknown zones, and too many rows', async () => {
    for (const [search, path] of [
      [`${WINDOW}&limit=1`, 'limit'],
      [`${WINDOW}&group_by=name`, 'group_by'],
      [`${WINDOW}&group_by=type,type`, 'group_by'],
      [`${WINDOW}&bucket=week`, 'bucket'],
      [`${WINDOW}&time_zone=Mars`, 'time_zone'],
      ['from=2026-03-01', 'to'],
      ['from=2026-03-01&to=2026-03-01', 'from'],
      ['from=2024-03-01&to=2026-03-01', 'to'],
    ] as const) {
      const { status, json } = await get(search)
      expect([search, status, json<{ details: { path: string }[] }>().details[0]?.path]).toEqual([
        search,
        400,
        expect.stringContaining(path),
      ])
    }
    const { apiKey } = await service.createKey(account, ['generate:voice'])
    expect((await get(WINDOW, apiKey)).status).toBe(403)
  })

  test('of more than 10,000 rows is refused with what to change', async () => {
    const other = await service.createCaller()
    const id = idAt(new Date('2026-03-01T00:00:00Z'))
    await service.runtime.db.pool.query(
      `insert into job (id, account_id, type, endpoint_key, status, inputs, cost, created_at, completed_at, voice)
       select 'job_' || substr($2, 5, 10) || lpad(n::text, 16, '0'), $1, 'voice', 'voice.tts', 'completed', '{}', 0, '2026-03-01T00:00:00Z', now(), 'v' || n
       from generate_series(1, 10001) n`,
      [other.account, id],
    )
    const { status, text } = await get(`${WINDOW}&group_by=voice`, other.key)
    expect([status, text]).toEqual([400, expect.stringContaining('at most 10000 rows')])
    expect(text).toContain('"path":"group_by"')
  })
})
