import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { idTime, newId } from '../../../src/values/id.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { MODERATED, UNMODERATED } from '../../setup/jobs/wire-fields.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

interface Page {
  jobs: { job_id: string; type: string; status: string; is_prohibited?: boolean | null; created_at: string }[]
  total: number
  limit: number
  offset: number
  error_code?: string
  details?: { path: string; message: string }[]
}

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime()
  key = (await service.createCaller()).key
})
afterAll(() => service.close())

const list = async (search = '', bearer = key) => {
  const reply = await call(`${service.url}/api/v1/jobs${search}`, { key: bearer })
  return { status: reply.status, body: reply.json<Page>(), headers: reply.headers }
}
const idsOf = (body: Page) => body.jobs.map((job) => job.job_id)
const fill = async (jobs: JobFields[]) => {
  const caller = await service.createCaller()
  const ids: string[] = []
  // Ids of one millisecond sort by chance: these are made one after the other.
  const start = Date.now() - 60_000
  for (const [index, job] of jobs.entries()) {
    ids.push(await insertJob(service.runtime.db, caller.account, { id: idAt(new Date(start + index)), ...job }))
  }
  return { ...caller, ids }
}

describe('jobPage', () => {
  test('an account without jobs has an empty page', async () => {
    const { status, body, headers } = await list()
    expect([status, body]).toEqual([200, { jobs: [], total: 0, limit: 50, offset: 0 }])
    expect(headers['cache-control']).toBe('no-store')
  })

  test.each([
    'limit=0',
    'limit=101',
    'limit=-1',
    'limit=1.5',
    'limit=1.0',
    'limit=1e1',
    'limit=0x10',
    'limit=',
    'limit=%2010',
    'limit=+10',
    'limit=010',
    'limit=ten',
    'limit=NaN',
    'limit=Infinity',
    'limit=4294967296',
    'limit=9007199254740993',
    'limit=1&limit=1',
    'limit=null',
    'limit=true',
    'limit=%F0%9D%9F%8F',
    'limit=1%00',
    'offset=-1',
    'offset=1.5',
    'offset=1e1',
    'offset=0x10',
    'offset=',
    'offset=2147483648',
    'offset=4294967296',
    'offset=9007199254740993',
    'offset=99999999999999999999',
    'offset=0&offset=1',
    'type=voice',
    'type=',
    'type=GENERATE',
    'type=generate,companion_chat',
    'type=generate&type=generate',
    'type=nothing',
    'decision=',
    'decision=PASS',
    'decision=pass,reject',
    'decision=true',
    'decision=pass&decision=pass',
    'status=',
    'status=,',
    'status=queued,',
    'status=queued,%20failed',
    'status=QUEUED',
    'status=done',
    'status=queued&status=failed',
    'api_key_id=',
    'api_key_id=a&api_key_id=b',
    'api_key_id=%00',
    'api_key_id=key_of_none',
    `api_key_id=${newId('job')}`,
    `search=${'a'.repeat(65)}`,
    'search=a&search=b',
    'search=%00',
    'from=',
    'from=yesterday',
    'from=2026-02-30',
    'from=2026-13-01',
    'from=2026-00-10',
    'from=2026-01-01T24:00:00Z',
    'from=2026-01-01T23:60:00Z',
    'from=2025-02-29',
    'from=1700000000',
    'from=2026-1-1',
    'from=2026-01-01T10:00Z',
    'from=2026-01-01T10:00:00.Z',
    'from=2026-01-01T10:00:00+24:00',
    'from=2026-01-01T10:00:00+02:00',
    'from=%2B12026-01-01',
    'from=2026-01-01T00:00:00Z&from=2026-01-01',
    'to=2026-02-30T00:00:00Z',
    'to=',
    'from=2026-01-02&to=2026-01-01',
    'from=2026-01-01T00:00:00.002Z&to=2026-01-01T00:00:00.001Z',
  ])('?%s is refused and never clamped', async (search) => {
    const { status, body } = await list(`?${search}`)
    expect([status, body.error_code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details?.map(({ path }) => path.split('/')[0])).toContain(search.split('=')[0])
  })

  test.each([
    'limit=1',
    'limit=100',
    'offset=2147483647',
    'status=queued,queued',
    'unknown=1&unknown=2',
    'Limit=0',
    'limit[]=0',
    `search=${'%25'.repeat(64)}`,
    `search=${'%F0%9F%98%80'.repeat(64)}`,
    'search=',
    'search=_',
    'search=%5C',
    'search=JOB_',
    'from=2026-01-01',
    'from=2026-01-01T10:00:00',
    'from=2026-01-01t10:00:00z',
    'from=2024-02-29',
    'from=0001-01-01',
    'to=9999-12-31',
    'from=2026-01-01T10:00:00.123456789Z',
    'from=2026-01-01T10:00:00%2B02:00',
    'from=2026-01-01T10:00:00-23:59',
    'from=2026-01-01&to=2026-01-01',
    `api_key_id=${newId('key')}`,
  ])('?%s is accepted', async (search) => {
    expect((await list(`?${search}`)).status).toBe(200)
  })

  test('pages of all sizes put together are every job once, newest first, also within one millisecond', async () => {
    const moment = new Date(Date.now() - 60_000)
    const mine = await fill(
      [...Array(7)].map(() => ({ id: idAt(moment) })).concat([...Array(6)].map(() => ({ id: newId('job') }))),
    )
    const expected = mine.ids.toSorted().reverse()
    for (const limit of [1, 4, 13, 100]) {
      const found: string[] = []
      for (let offset = 0; offset < 13; offset += limit) {
        const { body } = await list(`?limit=${limit}&offset=${offset}`, mine.key)
        expect([body.total, body.limit, body.offset]).toEqual([13, limit, offset])
        found.push(...idsOf(body))
      }
      expect(found).toEqual(expected)
    }
    const beyond = await list('?offset=13', mine.key)
    expect(beyond.body).toEqual({ jobs: [], total: 13, limit: 50, offset: 13 })
    const times = (await list('', mine.key)).body.jobs.map((job) => [job.created_at, job.job_id])
    expect(times).toEqual(times.toSorted().reverse())
  })

  test('every filter, alone and with others, lists and counts what a plain filter over all jobs does', async () => {
    const caller = await service.createCaller()
    const second = await service.createKey(caller.account)
    const types = ['voice', 'companion_chat', 'companion_retarget', 'companion_media_tag', 'generate'] as const
    const statuses = ['queued', 'processing', 'completed', 'failed'] as const
    const all: (JobFields & { id: string })[] = []
    for (let n = 0; n < 80; n++) {
      const type = types[n % 5]!
      const status = statuses[Math.floor(n / 5) % 4]!
      const decided = type.startsWith('companion') && status === 'completed' && { isProhibited: n % 3 === 0 }
      const apiKeyId = n % 2 ? second.apiKeyId : n % 7 ? caller.keyId : null
      const job = { id: idAt(new Date(Date.UTC(2026, 0, 1) + n * 1000)), type, status, apiKeyId, ...decided }
      all.push(job)
      await insertJob(service.runtime.db, caller.account, job)
    }
    await fill([{ type: 'generate' }, { type: 'companion_chat', isProhibited: true }])
    const middle = all[40]!.id
    type Wanted = (job: (typeof all)[number]) => boolean
    const filters: [string, Wanted][] = [
      ['type=generate', (job) => job.type === 'generate'],
      ['type=companion_media_tag', (job) => job.type === 'companion_media_tag'],
      ['decision=pass', (job) => job.isProhibited === false],
      ['decision=reject', (job) => job.isProhibited === true],
      ['status=failed', (job) => job.status === 'failed'],
      ['status=queued,processing', (job) => job.status === 'queued' || job.status === 'processing'],
      ['status=failed,completed,queued,processing', () => true],
      [`api_key_id=${second.apiKeyId}`, (job) => job.apiKeyId === second.apiKeyId],
      [`search=${middle}`, (job) => job.id === middle],
      [`search=${middle.slice(0, 13)}`, (job) => job.id.startsWith(middle.slice(0, 13))],
      ['search=job_', () => true],
      ['search=job%25', () => false],
      [`search=${middle.toUpperCase()}`, () => false],
      [`search=${middle.replace('_', '%25')}`, () => false],
      [`search=${middle.slice(0, 12)}_`, () => false],
      ['from=2026-01-01T00:00:40Z', (job) => job.id >= middle],
      ['to=2026-01-01T00:00:40Z', (job) => job.id < middle],
      ['from=2026-01-01T02:00:40%2B02:00&to=2026-01-01T00:00:40.0001', (job) => job.id === middle],
      ['from=2026-01-01T00:00:39.9991Z', (job) => job.id >= middle],
      ['from=2026-01-01&to=2026-01-01', () => false],
    ]
    // Most of the time since the oldest job, or all of it and more.
    const windows: [string, Wanted][] = [
      ['from=2026-01-01T00:00:10Z&to=2026-01-02', (job) => job.id >= all[10]!.id],
      ['from=2025-01-01&to=2026-01-01T00:01:10Z', (job) => job.id < all[70]!.id],
      ['to=2026-01-02', () => true],
      ['to=9999-12-31', () => true],
      ['from=0001-01-01', () => true],
      ['from=9999-12-31', () => false],
      ['from=9999-12-30&to=9999-12-31', () => false],
    ]
    const pairs = filters.flatMap(([search, wanted], index) =>
      filters.slice(index + 1).flatMap(([other, alsoWanted]): [string, Wanted][] => {
        const names = (text: string) => text.split('&').map((part) => part.split('=')[0])
        if (names(search).some((name) => names(other).includes(name))) return []
        return [[`${search}&${other}`, (job) => wanted(job) && alsoWanted(job)]]
      }),
    )
    for (const [search, wanted] of [...filters, ...windows, ...pairs]) {
      const { body } = await list(`?limit=100&${search}`, caller.key)
      const expected = all
        .filter(wanted)
        .map((job) => job.id)
        .toReversed()
      expect([search, body.total, idsOf(body)]).toEqual([search, expected.length, expected])
      const part = await list(`?limit=3&offset=2&${search}`, caller.key)
      expect([search, part.body.total, idsOf(part.body)]).toEqual([search, expected.length, expected.slice(2, 5)])
    }
  })

  test('a window is counted exactly, however much it leaves out at either end', async () => {
    const { account, key } = await service.createCaller()
    const now = Date.now()
    const hour = 3_600_000
    // Until some hours from now: the clocks of other processes may be ahead.
    const hours = Array.from({ length: 24 }, (_nothing, n) => n - 18)
    for (const n of hours) {
      const type = n % 2 === 0 ? 'generate' : 'voice'
      await insertJob(service.runtime.db, account, { id: idAt(new Date(now + n * hour)), type })
    }
    const edges = [-30, -18, -12, -9, -6, -1, 0, 3, 6, 30]
    const moment = (n: number) => new Date(now + n * hour).toISOString()
    const windows = edges.flatMap((from) => [
      { search: `from=${moment(from)}`, from, to: 99 },
      { search: `to=${moment(from)}`, from: -99, to: from },
      ...edges.filter((to) => to >= from).map((to) => ({ search: `from=${moment(from)}&to=${moment(to)}`, from, to })),
    ])
    for (const { search, from, to } of windows) {
      const within = hours.filter((n) => n >= from && n < to)
      const generated = within.filter((n) => n % 2 === 0)
      for (const [more, matching] of [
        ['', within],
        ['&type=generate', generated],
        ['&status=completed,failed', within],
      ] as const) {
        const { body } = await list(`?limit=100&${search}${more}`, key)
        expect([search, more, body.total, body.jobs.length]).toEqual([search, more, matching.length, matching.length])
      }
    }
  })

  test("another account's jobs and keys are never listed", async () => {
    const mine = await fill([{}])
    const theirs = await fill([{}, {}])
    await insertJob(service.runtime.db, theirs.account, { apiKeyId: theirs.keyId })
    for (const search of [
      '',
      `?search=${theirs.ids[0]}`,
      `?api_key_id=${theirs.keyId}`,
      `?from=${idTime(theirs.ids[0]!).toISOString()}`,
    ]) {
      const { body } = await list(search, mine.key)
      expect(idsOf(body).filter((id) => !mine.ids.includes(id))).toEqual([])
      expect(body.total).toBe(idsOf(body).length)
    }
  })

  test('a list item shows no result, and a verdict only where there is one to come', async () => {
    const caller = await fill([
      { type: 'companion_chat', status: 'queued' },
      { type: 'companion_chat', isProhibited: true },
      {},
    ])
    const { body } = await list('', caller.key)
    const [voice, decided, open] = body.jobs
    expect(Object.keys(voice ?? {})).toEqual(UNMODERATED)
    expect(Object.keys(open ?? {})).toEqual(MODERATED)
    expect([decided?.is_prohibited, open?.is_prohibited]).toEqual([true, null])
  })

  test('what a list says of a job is what the job itself says, whatever its key is called', async () => {
    const caller = await fill([{}, { type: 'companion_chat', isProhibited: false }, { apiKeyId: null }])
    const { pool } = service.runtime.db
    await pool.query('update job set api_key_id = $1 where id = any($2)', [caller.keyId, caller.ids.slice(0, 2)])
    // Fractions of a second are written out, whichever digits they end in.
    await pool.query("update job set completed_at = date_trunc('second', completed_at) where id = $1", [caller.ids[0]])
    await pool.query("update job set completed_at = date_trunc('second', now()) + '0.1' where id = $1", [caller.ids[1]])
    for (const name of [
      'plain',
      ' "quoted", \\back\\slash ',
      'tab\tline\nfeed\r\u001f',
      '日本語 😀 \u2028',
      'null',
      '[]',
    ]) {
      await pool.query('update api_key set name = $2 where id = $1', [caller.keyId, name])
      const { jobs } = (await list('', caller.key)).body
      const alone = await Promise.all(
        jobs.map(async ({ job_id }) =>
          (await call(`${service.url}/api/v1/jobs/${job_id}`, { key: caller.key })).json(),
        ),
      )
      expect(alone).toMatchObject(jobs)
      expect(jobs.map((job) => (job as { api_key_name?: unknown }).api_key_name)).toEqual([null, name, name])
    }
  })

  test('GraphQL pages through the same jobs, filters by VOICE too, and refuses the same', async () => {
    const caller = await fill([{}, { type: 'generate', status: 'queued' }, {}])
    const document =
      'query ($l: Int, $o: Int, $f: JobFilter) { jobPage(limit: $l, offset: $o, filter: $f) { total limit jobs { id type } } }'
    const ask = async (variables: object) => {
      const reply = await call(`${service.url}/graphql`, {
        method: 'POST',
        key: caller.key,
        body: { query: document, variables },
      })
      return reply.json<{
        data?: { jobPage: { total: number; jobs: { id: string }[] } }
        errors?: { extensions: object }[]
      }>()
    }
    const voice = await ask({ f: { type: 'VOICE' } })
    expect(voice.data?.jobPage.jobs.map((job) => job.id)).toEqual([caller.ids[2], caller.ids[0]])
    expect((await ask({ l: 1, o: 1 })).data?.jobPage).toMatchObject({
      total: 3,
      limit: 1,
      jobs: [{ id: caller.ids[1] }],
    })
    expect((await ask({ f: { status: ['QUEUED', 'PROCESSING'] } })).data?.jobPage.total).toBe(1)
    for (const from of ['2026-02-30T00:00:00Z', '2026-11-31', '2026-01-01T24:00:00Z', 'yesterday'])
      expect((await ask({ f: { from } })).errors?.[0]?.extensions).toMatchObject({ code: 'INVALID_REQUEST' })
    expect((await ask({ f: { from: '2026-01-01' } })).data?.jobPage.total).toBe(3)
    const to = '2026-01-01T00:00:00Z'
    for (const wrong of [
      { l: 0 },
      { l: 101 },
      { o: -1 },
      { f: { status: [] } },
      { f: { search: 'a'.repeat(65) } },
      { f: { apiKeyId: '' } },
      { f: { apiKeyId: '\0' } },
      { f: { apiKeyId: 'foo' } },
      { f: { from: '2026-01-02T00:00:00Z', to } },
    ]) {
      expect((await ask(wrong)).errors?.[0]?.extensions).toMatchObject({
        code: 'INVALID_REQUEST',
        details: expect.any(Array),
      })
    }
  })
})
