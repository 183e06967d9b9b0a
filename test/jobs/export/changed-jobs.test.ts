import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settleKnownChanges } from '../../../src/jobs/export/settled-changes.ts'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import { forgetDeletions } from '../../../src/jobs/retention/drop-old-jobs.ts'
import { newId } from '../../../src/values/id.ts'
import { blocksOf } from '../../setup/checks/blocks.ts'
import { readCsv } from '../../setup/checks/csv.ts'
import { call } from '../../setup/http.ts'
import { type Change, pullChanges } from '../../setup/jobs/changes.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { CHANGES_HEAD } from '../../setup/jobs/wire-fields.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const COLUMNS = CHANGES_HEAD.split(',')
const DAY_MS = 86_400_000
const MICROSECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const get = (key: string, search = '', headers: Record<string, string> = {}, method = 'GET') =>
  call(`${service.url}/api/v1/data/jobs${search}`, { key, headers, method })
const pull = (key: string, search = '') => pullChanges(service.url, key, search)
const insert = (account: string, job: JobFields = {}) => insertJob(service.runtime.db, account, job)
const run = (sql: string, values: unknown[] = []) => service.runtime.db.pool.query(sql, values)
const operator = () => service.runtime.as({ kind: 'system' })
const idsOf = (rows: readonly Change[]) => rows.map(({ job_id }) => job_id)

describe('changedJobs', () => {
  test('an account without jobs gets the last line alone, and its cursor goes on', async () => {
    const { account, key } = await service.createCaller()
    const { status, headers, text } = await get(key)
    expect([status, headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8'])
    const last = JSON.parse(text) as { cursor: string; rows: number; complete_before: string }
    expect(last).toEqual({
      cursor: headers['x-sonant-next-cursor'],
      rows: 0,
      complete_before: expect.stringMatching(MICROSECONDS),
    })
    expect(headers['x-sonant-complete-before']).toBe(last.complete_before)
    const id = await insert(account)
    expect(idsOf((await pull(key, `?since=${last.cursor}`)).rows)).toEqual([id])
  })

  test('all jobs come first, then each that changed once and as it is now, and nothing when nothing has', async () => {
    const { account, key } = await service.createCaller()
    const ids = [await insert(account, { status: 'processing' }), await insert(account), await insert(account)]
    const first = await pull(key)
    expect(idsOf(first.rows)).toEqual(ids)
    expect(await pull(key, `?since=${first.cursor}`)).toMatchObject({ rows: [] })
    await run('update job set attempt = attempt + 1 where id = $1', [ids[0]])
    await run(`update job set status = 'completed', completed_at = now() where id = $1`, [ids[0]])
    const second = await pull(key, `?since=${first.cursor}`)
    expect(second.rows).toMatchObject([{ job_id: ids[0], status: 'completed', attempts: 1 }])
    expect((await pull(key, `?since=${second.cursor}`)).rows).toEqual([])
    expect(idsOf((await pull(key)).rows)).toEqual([ids[1], ids[2], ids[0]])
  })

  test('progress within a job is no change', async () => {
    const { account, key } = await service.createCaller()
    const id = await insert(account, { status: 'processing' })
    const { cursor } = await pull(key)
    await run('update job set chunks_done = 1, chunks_total = 2, parts_done = 1 where id = $1', [id])
    await run('update job set status = status, attempt = attempt where id = $1', [id])
    expect((await pull(key, `?since=${cursor}`)).rows).toEqual([])
  })

  test('a row has all columns, in JSON with their types and in CSV as texts', async () => {
    const { account, key, keyId } = await service.createCaller()
    const id = await insert(account, {
      id: idAt(new Date('2026-01-31T09:05:00.120Z')),
      apiKeyId: keyId,
      startedAt: new Date('2026-01-31T09:05:00.220Z'),
      completedAt: new Date('2026-01-31T09:05:02.000Z'),
      attempt: 1,
      cost: '12',
      voice: '=calm',
      language: 'en',
      tags: ['a,b', '"c"'],
    })
    await run(`update job set inputs = '{"text":"Häuser"}' where id = $1`, [id])
    await run(
      `insert into artifact (id, job_id, output, storage_key, content_type, bytes, sha256, duration_ms)
       values ($1, $2, 'audio', $2, 'audio/wav', 8, decode(repeat('00', 32), 'hex'), 77)`,
      [newId('art'), id],
    )
    const { rows } = await pull(key)
    const changed = expect.stringMatching(MICROSECONDS) as unknown
    expect(Object.keys(rows[0]!)).toEqual(COLUMNS)
    const told = {
      ...{ job_id: id, duration_ms: 1880, wait_ms: 100, run_ms: 1780, cost: 12, attempts: 1, characters: 6 },
      audio_ms: 77,
    }
    const own = { voice: '=calm', language: 'en', tags: ['a,b', '"c"'], is_prohibited: null, api_key_name: 'test' }
    expect(rows).toMatchObject([
      { ...told, ...own, started_at: '2026-01-31T09:05:00.220Z', changed_at: changed, deleted_at: null },
    ])
    const [head, cells] = readCsv((await get(key, '?format=csv')).text)
    expect(head).toEqual(COLUMNS)
    expect(Object.fromEntries(COLUMNS.map((name, at) => [name, cells?.[at]]))).toMatchObject({
      ...{
        duration_ms: '1880',
        cost: '12',
        characters: '6',
        audio_ms: '77',
        voice: '=calm',
        tags: '["a,b","\\"c\\""]',
        deleted_at: '',
      },
    })
  })

  test('a CSV for a spreadsheet has no formulas and begins with a mark; another one says every text as it is', async () => {
    const { account, key } = await service.createCaller()
    await insert(account, { reason: '=1+1', type: 'companion_chat', isProhibited: true })
    expect((await get(key, '?format=csv&columns=reason')).text).toBe('reason\r\n=1+1\r\n')
    expect((await get(key, '?format=csv&columns=reason&escape=spreadsheet')).text).toBe(`\ufeffreason\r\n'=1+1\r\n`)
  })

  test('chosen columns come in the order in which they were named, in both formats', async () => {
    const { account, key } = await service.createCaller()
    const id = await insert(account)
    expect((await get(key, '?columns=status,job_id')).text.split('\n')[0]).toBe(
      `{"status":"completed","job_id":"${id}"}`,
    )
    expect((await get(key, '?columns=status,job_id&format=csv')).text).toBe(`status,job_id\r\ncompleted,${id}\r\n`)
  })

  test('texts with quotes, line breaks and control characters arrive whole in both formats, and Python reads the CSV', async ({
    skip,
  }) => {
    const { account, key } = await service.createCaller()
    const reason = 'a "quoted"\r\nline\tand \\ \u0001\u0002 ü 😀'
    await insert(account, { reason, type: 'companion_chat', isProhibited: true })
    const { rows } = await pull(key)
    expect(rows[0]?.reason).toBe(reason)
    const file = await get(key, '?format=csv&columns=reason')
    expect(readCsv(file.text)).toEqual([['reason'], [reason]])
    if (spawnSync('python3', ['--version']).status !== 0) skip()
    const program = `import csv,io,json,sys; print(json.dumps(list(csv.DictReader(io.TextIOWrapper(sys.stdin.buffer, encoding='utf-8', newline='')))))`
    const read = execFileSync('python3', ['-c', program], { input: file.bytes })
    expect(JSON.parse(read.toString())).toEqual([{ reason }])
  })

  test('times of changes have all six digits, zeros as well', async () => {
    const { account, key } = await service.createCaller()
    const times = ['00.000000', '01.000001', '02.100000', '03.120450', '04.123456', '05.999999', '59.999990']
    for (const seconds of times) {
      const id = await insert(account)
      await run('update job set changed_at = $2 where id = $1', [id, `2026-03-01T23:59:${seconds}Z`])
    }
    const { rows } = await pull(key)
    expect(rows.map(({ changed_at }) => changed_at)).toEqual(times.map((seconds) => `2026-03-01T23:59:${seconds}Z`))
  })

  test.each(['ndjson', 'csv'])(
    'with a limit, %s comes in pages: no row is missing or comes twice, also of jobs of one moment and deleted ones',
    async (format) => {
      const { account, key } = await service.createCaller()
      const ids = []
      for (let n = 0; n < 5; n++) ids.push(await insert(account))
      const moment = '2026-03-01T00:00:00.123456Z'
      await run('update job set changed_at = $2 where id = any($1)', [ids.slice(1, 4), moment])
      await deleteJob(operator(), { jobId: ids[4] as string })
      const whole = await get(key, `?format=${format}&columns=job_id,changed_at`)
      const pages: string[][] = []
      const before: unknown[] = []
      for (let since = ''; pages.at(-1)?.length !== 0; ) {
        const { text, headers } = await get(key, `?format=${format}&columns=job_id,changed_at&limit=2${since}`)
        const lines = text.trimEnd().split(/\r?\n/)
        pages.push(format === 'csv' ? lines.slice(1) : lines.slice(0, -1))
        since = `&since=${headers['x-sonant-next-cursor']}`
        before.push(headers['x-sonant-complete-before'])
        const end = {
          cursor: headers['x-sonant-next-cursor'],
          rows: pages.at(-1)?.length,
          complete_before: before.at(-1),
        }
        if (format === 'ndjson') expect(JSON.parse(lines.at(-1) as string)).toEqual(end)
      }
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 1, 0])
      const lines = whole.text.trimEnd().split(/\r?\n/)
      expect(pages.flat()).toEqual(format === 'csv' ? lines.slice(1) : lines.slice(0, -1))
      expect(before[0]).toBe(moment)
    },
  )

  test('pages of old jobs may take as long as deletions are kept from their beginning on, and then are gone', async () => {
    const { account, key } = await service.createCaller()
    const ids = [await insert(account), await insert(account), await insert(account)]
    await run(`update job set changed_at = '2020-03-01T00:00:00Z' where id = any($1)`, [ids])
    await run('update feed_horizon set kept_from = clock_timestamp()')
    const first = await pull(key, '?limit=1')
    await deleteJob(operator(), { jobId: ids[0] as string })
    const second = await pull(key, `?limit=1&since=${first.cursor}`)
    const rest = await pull(key, `?since=${second.cursor}`)
    expect(idsOf([...first.rows, ...second.rows, ...rest.rows])).toEqual([...ids, ids[0]])
    await run('update feed_horizon set kept_from = greatest(opened, clock_timestamp())')
    expect((await get(key, `?limit=1&since=${second.cursor}`)).status).toBe(410)
    await run('update feed_horizon set kept_from = null')
  })

  test('a window of changes is from its beginning to before its end', async () => {
    const { account, key } = await service.createCaller()
    const id = await insert(account)
    await run('alter table job disable trigger job_changed_update')
    await run(`update job set changed_at = '2026-03-01T00:00:00Z' where id = $1`, [id])
    await run('alter table job enable trigger job_changed_update')
    const within = async (search: string) => idsOf((await pull(key, search)).rows)
    expect(await within('?changed_from=2026-03-01&changed_to=2026-03-02')).toEqual([id])
    expect(await within('?changed_from=2026-02-01&changed_to=2026-03-01')).toEqual([])
    expect(await within('?changed_from=2026-03-01T00:00:00.001Z')).toEqual([])
    expect((await pull(key, '?changed_to=2026-03-02')).complete_before).toBe('2026-03-02T00:00:00.000000Z')
  })

  test('a window with a limit goes on with the cursor, up to its end and not behind it', async () => {
    const { account, key } = await service.createCaller()
    const ids = [await insert(account), await insert(account), await insert(account)]
    await run('alter table job disable trigger job_changed_update')
    for (const [at, id] of ids.entries())
      await run('update job set changed_at = $1 where id = $2', [`2026-03-0${at + 1}T12:00:00Z`, id])
    await run('alter table job enable trigger job_changed_update')
    const first = await pull(key, '?changed_from=2026-03-01&changed_to=2026-03-03&limit=1')
    const second = await pull(key, `?since=${first.cursor}&changed_to=2026-03-03&limit=1`)
    const third = await pull(key, `?since=${second.cursor}&changed_to=2026-03-03&limit=1`)
    expect([first, second, third].map(({ rows }) => idsOf(rows))).toEqual([[ids[0]], [ids[1]], []])
    expect(third.complete_before).toBe('2026-03-03T00:00:00.000000Z')
    const earlier = await pull(key, `?since=${third.cursor}&changed_to=2026-03-01`)
    expect(earlier).toEqual({ rows: [], cursor: third.cursor, complete_before: third.complete_before })
    expect(idsOf((await pull(key, `?since=${third.cursor}`)).rows)).toEqual([ids[2]])
  })

  test('a job from before the column changed when it ended, started or was accepted', async () => {
    const { account, key } = await service.createCaller()
    const id = await insert(account, { id: idAt(new Date('2026-02-01')), completedAt: new Date('2026-02-02') })
    await run('update job set changed_at = null where id = $1', [id])
    const { rows, cursor } = await pull(key)
    expect(rows).toMatchObject([{ job_id: id, changed_at: '2026-02-02T00:00:00.000000Z' }])
    expect((await pull(key, `?since=${cursor}`)).rows).toEqual([])
  })

  test('a deleted job is a row of its id and its time, once', async () => {
    const { account, key } = await service.createCaller()
    const id = await insert(account)
    const { cursor } = await pull(key)
    await deleteJob(operator(), { jobId: id })
    const { rows, cursor: next } = await pull(key, `?since=${cursor}`)
    const given = Object.fromEntries(Object.entries(rows[0]!).filter(([, value]) => value !== null))
    expect(given).toEqual({ job_id: id, changed_at: given.deleted_at, deleted_at: expect.stringMatching(MICROSECONDS) })
    expect((await pull(key, `?since=${next}`)).rows).toEqual([])
    expect((await get(key, '?format=csv&columns=job_id,status,cost,characters')).text).toBe(
      `job_id,status,cost,characters\r\n${id},,,\r\n`,
    )
  })

  test('deletions are forgotten after 90 days, and a cursor from before them is gone', async () => {
    const { account, key } = await service.createCaller()
    const id = await insert(account)
    const { cursor } = await pull(key)
    await deleteJob(operator(), { jobId: id })
    const { runtime } = service
    const inDays = (days: number) => ({ ...runtime, now: () => new Date(runtime.now().getTime() + days * DAY_MS) })
    await forgetDeletions(inDays(89))
    expect(idsOf((await pull(key, `?since=${cursor}`)).rows)).toEqual([id])
    await forgetDeletions(inDays(91))
    const { status, json } = await get(key, `?since=${cursor}`)
    const error = 'Load all jobs anew, without since: deletions since this cursor are no longer known.'
    expect([status, json()]).toEqual([410, { error, error_code: 'GONE' }])
    expect((await pull(key)).rows).toEqual([])
    await run(`update feed_horizon set kept_from = null`)
  })

  test('the statement of the documents ends every cursor after a database came back, and new cursors are answered', async () => {
    const { account, key } = await service.createCaller()
    const id = await insert(account)
    const { cursor } = await pull(key)
    const [statement = ''] = blocksOf('docs/rest.md').flatMap(({ text }) => (text.startsWith('update') ? [text] : []))
    await run(statement)
    expect((await get(key, `?since=${cursor}`)).status).toBe(410)
    const anew = await pull(key)
    expect(idsOf(anew.rows)).toEqual([id])
    expect((await pull(key, `?since=${anew.cursor}`)).rows).toEqual([])
    await run(`update feed_horizon set kept_from = null`)
  })

  test('a transaction that stays open holds the cursor back, and its job comes afterwards', async () => {
    const { account, key } = await service.createCaller()
    const before = await insert(account)
    const first = await pull(key)
    expect(idsOf(first.rows)).toEqual([before])
    const open = await service.runtime.db.pool.connect()
    try {
      await open.query(BEGIN_HELD)
      const held = newId('job')
      await open.query(
        `insert into job (id, account_id, type, endpoint_key, inputs, created_at) values ($1, $2, 'voice', 'voice.tts', '{}', now())`,
        [held, account],
      )
      const after = await insert(account)
      const second = await pull(key, `?since=${first.cursor}`)
      expect(second).toMatchObject({ rows: [], complete_before: first.complete_before, cursor: first.cursor })
      await open.query('commit')
      expect(idsOf((await pull(key, `?since=${second.cursor}`)).rows)).toEqual([held, after])
    } finally {
      open.release(true)
    }
  })

  test('maintenance settles for accounts that read changes, so that a later transaction holds up less', async () => {
    const { account, key } = await service.createCaller()
    const { cursor } = await pull(key)
    const id = await insert(account)
    await settleKnownChanges(service.runtime.db)
    const open = await service.runtime.db.pool.connect()
    try {
      await open.query(BEGIN_HELD)
      await open.query('update job set parts_done = 1 where id = $1', [id])
      expect(idsOf((await pull(key, `?since=${cursor}`)).rows)).toEqual([id])
    } finally {
      open.release(true)
    }
  })

  test('a caller that accepts gzip gets gzip, and HEAD has the head', async () => {
    const { account, key } = await service.createCaller()
    await insert(account)
    const { headers, bytes } = await get(key, '', { 'accept-encoding': 'gzip' })
    expect(headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(bytes).toString().trim().split('\n')).toHaveLength(2)
    const head = await get(key, '', {}, 'HEAD')
    expect([head.status, head.text, head.headers['x-sonant-next-cursor'] !== undefined]).toEqual([200, '', true])
  })

  test.each([
    ['?from=2026-01-01', 'from'],
    ['?since=', 'since'],
    ['?since=abc', 'since'],
    ['?changed_from=2026-02-30', 'changed_from'],
    ['?changed_from=2026-01-02&changed_to=2026-01-01', 'changed_from'],
    ['?format=xml', 'format'],
    ['?columns=', 'columns'],
    ['?columns=inputs', 'columns'],
    ['?columns=job_id,job_id', 'columns'],
    ['?escape=spreadsheet', 'escape'],
    ['?format=csv&format=csv', 'format'],
  ])('%s is refused before anything is written', async (search, path) => {
    const { key } = await service.createCaller()
    const { status, json } = await get(key, search)
    expect(status).toBe(400)
    expect(json<{ details: { path: string }[] }>().details.map((detail) => detail.path.split('/')[0])).toContain(path)
  })

  test("a cursor is its account's own, and does not go with changed_from; one that is ahead of the service is refused", async () => {
    const [one, other] = [await service.createCaller(), await service.createCaller()]
    const { cursor } = await pull(one.key)
    expect((await get(other.key, `?since=${cursor}`)).status).toBe(400)
    expect((await get(one.key, `?since=${cursor}&changed_from=2026-01-01`)).status).toBe(400)
    const ahead = Buffer.from(`jobs ${one.account} 9999-01-01T00:00:00.000000Z`).toString('base64url')
    expect((await get(one.key, `?since=${ahead}`)).json()).toMatchObject({ error_code: 'INVALID_REQUEST' })
  })

  test.each([
    '2026-02-30T00:00:00.000000Z',
    '0000-01-01T00:00:00.000000Z',
    '2026-01-01T24:00:00.000000Z',
    '2026-01-01T00:00:60.000000Z',
    '2026-13-01T00:00:00.000000Z',
  ])('a cursor whose time is %s, which does not exist, is refused before anything is written', async (time) => {
    const { account, key } = await service.createCaller()
    const { status, json } = await get(key, `?since=${Buffer.from(`jobs ${account} ${time}`).toString('base64url')}`)
    expect([status, json<{ details: { path: string }[] }>().details[0]?.path]).toEqual([400, 'since'])
  })

  test('a key without job:read is refused, and no account sees the jobs of another', async () => {
    const { account } = await service.createCaller()
    await insert(account)
    const { apiKey } = await service.createKey(account, ['generate:voice'])
    expect((await get(apiKey)).status).toBe(403)
    expect((await get('snt_none')).status).toBe(401)
    expect((await pull((await service.createCaller()).key)).rows).toEqual([])
  })

  test('the sample of the documents loads all jobs, then the changes since its cursor, and keeps no error as a file', async ({
    skip,
  }) => {
    if (spawnSync('curl', ['--version']).status !== 0) skip()
    const { account, key } = await service.createCaller()
    const id = await insert(account)
    const [load = '', keep = ''] = blocksOf('docs/data-teams.md').flatMap(({ text }) =>
      text.includes('next.cursor') ? [text] : [],
    )
    const cwd = await mkdtemp(`${service.dataDir}/sample-`)
    const sample = async (script: string, by = key) => {
      const env = { ...process.env, API: `${service.url}/api/v1`, KEY: by }
      await promisify(execFile)('sh', ['-e', '-c', script], { cwd, env })
      return readCsv(await readFile(`${cwd}/changes.csv`, 'utf8')).map(([first]) => first)
    }
    expect(await sample(load + keep)).toEqual(['job_id', id])
    const later = await insert(account)
    expect(await sample(load)).toEqual(['job_id', later])
    expect(await sample(load + keep)).toEqual(['job_id', later])
    await expect(sample(load, 'snt_none')).rejects.toMatchObject({ code: 22 })
    expect(await sample('true')).toEqual(['job_id', later])
    expect(await sample(load)).toEqual(['job_id'])
  })
})
