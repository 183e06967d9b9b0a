import { execFileSync, spawnSync } from 'node:child_process'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readCsv } from '../../setup/checks/csv.ts'
import { call } from '../../setup/http.ts'
import { idAt, insertJob, type JobFields } from '../../setup/jobs/jobs.ts'
import { CSV_HEAD } from '../../setup/jobs/wire-fields.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const COLUMNS = CSV_HEAD.split(',')
const YEAR = '?from=2026-01-01&to=2027-01-01'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const get = (key: string, search = YEAR, headers: Record<string, string> = {}, method = 'GET') =>
  call(`${service.url}/api/v1/jobs/export${search}`, { key, headers, method })
const insert = (account: string, job: JobFields) => insertJob(service.runtime.db, account, job)
const at = (text: string) => idAt(new Date(text))

/** The rows by the names of their columns. */
const rowsOf = (file: string) => {
  const [head, ...rows] = readCsv(file.replace(/^\ufeff/, ''))
  expect(head).toEqual(COLUMNS)
  for (const row of rows) expect(row).toHaveLength(COLUMNS.length)
  return rows.map((row) => Object.fromEntries(row.map((cell, index) => [COLUMNS[index] as string, cell])))
}

/** The statements that hold back what is more than `most` do so from `instead` on: half a million rows take most of a minute to write. */
function countedFrom(most: number, instead: number) {
  let statements = 0
  const { query } = pg.Client.prototype
  const spied = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given) {
    const [text, ...others] = given as unknown as [unknown, ...unknown[]]
    if (typeof text !== 'string' || !text.includes(`limit ${most + 1})`)) return query.apply(this, given)
    statements++
    const fewer = text.replaceAll(`${most + 1}`, `${instead + 1}`).replaceAll(`${most}`, `${instead}`)
    return query.apply(this, [fewer, ...others] as typeof given)
  })
  onTestFinished(() => spied.mockRestore())
  return { statements: () => statements }
}

describe('exportJobs', () => {
  test('a window without jobs is a head and nothing more', async () => {
    const { key } = await service.createCaller()
    const { status, headers, bytes, text } = await get(key)
    expect(status).toBe(200)
    expect(headers['content-type']).toMatch(/^text\/csv; charset=utf-8/)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['content-disposition']).toBe('attachment; filename="jobs-2026-01-01-2027-01-01.csv"')
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    expect(text).toBe(`\ufeff${CSV_HEAD}\r\n`)
  })

  test('every job of the window is one row, oldest first, to the byte', async () => {
    const { account, key, keyId } = await service.createCaller()
    const other = await service.createCaller()
    const [before, first, second, third, after] = [
      '2025-12-31T23:59:59.999Z',
      '2026-01-01T00:00:00.000Z',
      '2026-01-31T09:05:00.120Z',
      '2026-06-01',
      '2027-01-01',
    ].map(at) as [string, string, string, string, string]
    for (const id of [before, after]) await insert(account, { id })
    await insert(other.account, { id: at('2026-03-01') })
    await insert(account, {
      id: third,
      type: 'companion_media_tag',
      endpointKey: 'media.companion_tag',
      isProhibited: true,
      reason: 'nudity',
      mediaUrl: 'https://example.com/a.png?x=1,2',
      mediaKind: 'image',
      apiKeyId: keyId,
    })
    await insert(account, {
      id: second,
      type: 'generate',
      providerJobId: 'p-1',
      gpuExecutionTimeMs: 4200,
      completedAt: new Date('2026-01-31T09:05:02.000Z'),
    })
    await insert(account, {
      id: first,
      status: 'failed',
      errorCode: 'PROVIDER_BUSY',
      cause: 'stays inside',
      apiKeyId: 'key_gone',
    })
    const unfinished = at('2026-07-01')
    await insert(account, { id: unfinished, type: 'companion_chat', status: 'processing', chatId: 'c' })
    const { text } = await get(key)
    const later = ','.repeat(COLUMNS.length - 19)
    expect(text).toBe(
      [
        `\ufeff${CSV_HEAD}`,
        `${first},voice,voice.tts,failed,,2026-01-01T00:00:00.000Z,2026-01-01T00:00:01.250Z,1250,,,,,,,,PROVIDER_BUSY,Capacity is throttled: submit the job again after a short backoff.,key_gone,${later}`,
        `${second},generate,generate.portrait,completed,,2026-01-31T09:05:00.120Z,2026-01-31T09:05:02.000Z,1880,,,,,portrait,p-1,4200,,,,${later}`,
        `${third},companion_media_tag,media.companion_tag,completed,true,2026-06-01T00:00:00.000Z,2026-06-01T00:00:01.250Z,1250,nudity,,"https://example.com/a.png?x=1,2",image,,,,,,${keyId},test${later}`,
        `${unfinished},companion_chat,chat.companion,processing,,2026-07-01T00:00:00.000Z,,,,c,,,,,,,,,${later}`,
        '',
      ].join('\r\n'),
    )
  })

  test.each([
    ['', 'from'],
    ['?from=2026-01-01', 'to'],
    ['?to=2026-01-01', 'from'],
    ['?from=&to=2026-01-01', 'from'],
    ['?from=2026-01-02&to=2026-01-01', 'from'],
    ['?from=2026-01-01&to=2027-01-02T00:00:00.001Z', 'to'],
    ['?from=2024-01-01&to=2025-01-01T00:00:00.0001Z', 'to'],
    ['?from=2026-02-30&to=2026-03-01', 'from'],
    ['?from=2026-01-01&from=2026-01-01&to=2026-01-02', 'from'],
  ])('%s is refused before anything is written', async (search, path) => {
    const { key } = await service.createCaller()
    const { status, headers, json } = await get(key, search)
    expect([status, headers['content-type']]).toEqual([400, 'application/json; charset=utf-8'])
    expect(json<{ details: { path: string }[] }>().details.map((detail) => detail.path)).toContain(path)
  })

  test.each(['?from=2024-01-01&to=2025-01-01', '?from=2026-01-01&to=2027-01-02', '?from=2026-01-01&to=2026-01-01'])(
    '%s is short enough',
    async (search) => {
      const { key } = await service.createCaller()
      expect((await get(key, search)).status).toBe(200)
    },
  )

  test('a key without job:read is refused before its window is looked at, and so is one that there is not', async () => {
    const { account } = await service.createCaller()
    const { apiKey } = await service.createKey(account, ['generate:voice'])
    for (const [key, code, status] of [
      [apiKey, 'FORBIDDEN', 403],
      ['snt_none', 'UNAUTHORIZED', 401],
    ] as const) {
      for (const search of [YEAR, '?from=never', '']) {
        const answer = await get(key, search)
        expect([answer.status, answer.json<{ error_code: string }>().error_code]).toEqual([status, code])
      }
    }
  })

  test('500,000 jobs may be exported, one more is refused before anything is written', async () => {
    const { account, key } = await service.createCaller()
    const most = countedFrom(500_000, 3)
    for (let day = 1; day <= 3; day++) await insert(account, { id: at(`2026-02-0${day}`) })
    expect((await get(key, YEAR, {}, 'HEAD')).status).toBe(200)
    await insert(account, { id: at('2026-02-04') })
    const refused = await get(key)
    const { error_code, details } = refused.json<{ error_code: string; details: { message: string }[] }>()
    expect([refused.status, error_code]).toEqual([400, 'INVALID_REQUEST'])
    expect(details.map(({ message }) => message)).toEqual(['holds more than 500000 jobs'])
    expect((await get(key, '?from=2026-02-02&to=2026-02-05', {}, 'HEAD')).status).toBe(200)
    expect(most.statements()).toBeGreaterThanOrEqual(3)
  })

  test('gzip is sent to clients that accept it, and is the same file', async () => {
    const { account, key } = await service.createCaller()
    await insert(account, { id: at('2026-01-05') })
    const plain = await get(key)
    expect(plain.headers.vary).toBe('accept-encoding')
    for (const accepted of ['gzip', 'br, GZIP;q=0.5', '*', 'deflate, x-gzip']) {
      const zipped = await get(key, YEAR, { 'accept-encoding': accepted })
      expect([accepted, zipped.headers['content-encoding']]).toEqual([accepted, 'gzip'])
      expect(gunzipSync(zipped.bytes).equals(plain.bytes)).toBe(true)
    }
    for (const refused of ['gzip;q=0', 'identity', 'br', '', 'gzip;q=0.1, identity;q=0.9']) {
      const { headers, bytes } = await get(key, YEAR, { 'accept-encoding': refused })
      expect([refused, headers['content-encoding'], bytes.equals(plain.bytes)]).toEqual([refused, undefined, true])
    }
  })

  test('HEAD answers with the headers and leaves nothing open', async () => {
    const { account, key } = await service.createCaller()
    await insert(account, { id: at('2026-01-05') })
    for (let n = 0; n < 15; n++) {
      const { status, headers, text } = await get(key, YEAR, {}, 'HEAD')
      expect([status, text, headers['content-type']?.slice(0, 8)]).toEqual([200, '', 'text/csv'])
      // It is not known, and not 0 (RFC 9110 section 8.6).
      expect(headers['content-length']).toBeUndefined()
    }
    await expect.poll(() => service.runtime.spill.bytes).toBe(0)
  })
})

const TRIGGERS = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']
/** Small forms, and the like in other heights. */
const KIN_OF_TRIGGERS = [...'\ufe66\ufe62\ufe63\ufe6b', ...'\u207a\u207c\u208a\u208c\u2a75\u2a76\ufb29']
const PREFIXES = [
  '',
  ' ',
  '\u00a0',
  '\ufeff',
  '\u200b',
  '\n',
  '\r\n',
  '\t ',
  '\u2003',
  '\u3000',
  '\u2060',
  '\u200f',
  '\u0001',
  ' \u200b\ufeff ',
]
/** By the Unicode of this node; surrogates are no characters, and PostgreSQL takes no NUL. */
const CHARACTERS = Array.from({ length: 0x10ffff }, (_nothing, n) => n + 1)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
const INVISIBLE =
  /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Mn}\p{Me}\u2800\u{13441}\u{13442}\u{1d159}]$/u
const UNSEEN = CHARACTERS.filter((character) => INVISIBLE.test(character))
const HARMLESS = [
  '',
  ' ',
  'a=1',
  '1+1',
  'plain',
  'with "quotes"',
  '"=1+1"',
  '"',
  '""',
  ',',
  'a,b',
  'line\nfeed',
  'lone\rreturn',
  'both\r\nof them',
  '\\.',
  '\\N',
  'NULL',
  "'=1",
  '\u200fright to left',
  'ends in \r',
  '7',
  'é',
  '你好',
  '😀=1',
  `${'x'.repeat(32_768)}`,
  `"${'\n'.repeat(500)}"`,
  'semi;colon',
  '%0A',
  '{=1}',
  ' a',
]
const hostile = () => PREFIXES.flatMap((prefix) => TRIGGERS.map((trigger) => `${prefix}${trigger}1+cmd|' /C calc'!A0`))

describe('the cells of an export', () => {
  test('read back as what they were, with one apostrophe before what a spreadsheet would run', async () => {
    const texts = [...HARMLESS, ...hostile(), ...TRIGGERS]
    const { account, key } = await service.createCaller()
    const start = Date.UTC(2026, 3, 1)
    for (const [index, text] of texts.entries()) {
      const id = idAt(new Date(start + index))
      await insert(account, {
        id,
        type: 'companion_chat',
        reason: text,
        chatId: text,
        mediaUrl: text,
        mediaKind: text,
        providerJobId: text,
        gpuExecutionTimeMs: -5,
      })
    }
    const { text: file, bytes } = await get(key)
    const rows = rowsOf(file)
    expect(rows).toHaveLength(texts.length)
    for (const [index, row] of rows.entries()) {
      const original = texts[index] as string
      const expected = index < HARMLESS.length ? original : `'${original}`
      for (const column of ['reason', 'chat_id', 'media_url', 'media_kind', 'provider_job_id'])
        expect(row[column]).toBe(expected)
      expect(row.gpu_execution_time_ms).toBe('-5')
    }
    expect(pythonRows(bytes)).toEqual(readCsv(file.slice(1)))
  })

  test('are safe behind every character that is not seen', async () => {
    const { account, key } = await service.createCaller()
    const unseen = UNSEEN.map((character, n) => (UNSEEN[(n * 31) % UNSEEN.length] as string) + character)
    expect(unseen.length).toBeGreaterThan(4_000)
    const texts = unseen.map((prefix, n) =>
      TRIGGERS.map((_trigger, k) => `${prefix}${TRIGGERS[(n + k) % TRIGGERS.length]}1`),
    )
    const harmless = unseen.map((prefix) => `${prefix.replace(/[\t\r\n]/g, ' ')}a=1`)
    const ids = unseen.map((_prefix, n) => idAt(new Date(Date.UTC(2026, 4, 1) + n)))
    const column = (k: number) => texts.map((row) => row[k])
    await service.runtime.db.pool.query(
      `insert into job (id, account_id, type, endpoint_key, inputs, created_at, reason, chat_id, media_url, media_kind, provider_job_id)
       select id, $1, 'companion_chat', 'x', '{}', '2026-05-01', a, b, c, d, e
       from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) as given (id, a, b, c, d, e)`,
      [account, ids, column(0), column(1), column(2), column(3), harmless],
    )
    const rows = rowsOf((await get(key)).text)
    expect(rows).toHaveLength(unseen.length)
    const wrong = rows.filter((row, n) => {
      const expected = [...(texts[n] as string[]).slice(0, 4).map((text) => `'${text}`), harmless[n]]
      return (
        [row.reason, row.chat_id, row.media_url, row.media_kind, row.provider_job_id].join('|') !== expected.join('|')
      )
    })
    expect(wrong).toEqual([])
  })

  test('are safe where a sign is of another width, size or height, also behind blank characters', async () => {
    const taken = CHARACTERS.filter((character) => '=+-@'.includes(character.normalize('NFKC')[0] as string))
    expect(new Set(taken)).toEqual(new Set([...TRIGGERS, ...KIN_OF_TRIGGERS].filter((sign) => !/\s/.test(sign))))
    const { account, key } = await service.createCaller()
    const texts = KIN_OF_TRIGGERS.flatMap((sign) => ['', '\u2800', '\u{13440}'].map((blank) => `${blank}${sign}1`))
    for (const [n, reason] of texts.entries())
      await insert(account, { id: idAt(new Date(Date.UTC(2026, 6, 1) + n)), type: 'companion_chat', reason })
    const rows = rowsOf((await get(key)).text)
    expect(rows.map((row) => row.reason)).toEqual(texts.map((text) => `'${text}`))
  })

  test('of key names are as safe', async () => {
    const { account, key } = await service.createCaller()
    const second = await service.createKey(account)
    for (const [name, cell] of [
      ['=HYPERLINK("x")', '\'=HYPERLINK("x")'],
      ['-5', "'-5"],
      ['prod', 'prod'],
    ]) {
      await service.runtime.db.pool.query('update api_key set name = $2 where id = $1', [second.apiKeyId, name])
      await service.runtime.db.pool.query('delete from job where account_id = $1', [account])
      await insert(account, { id: at('2026-01-05'), apiKeyId: second.apiKeyId })
      expect(rowsOf((await get(key)).text)[0]?.api_key_name).toBe(cell)
    }
  })

  test('without a value are empty, and an empty text is quoted', async () => {
    const { account, key } = await service.createCaller()
    await insert(account, { id: at('2026-01-05'), type: 'companion_chat', chatId: '' })
    const others = ','.repeat(COLUMNS.length - COLUMNS.indexOf('chat_id') - 1)
    expect((await get(key)).text).toMatch(new RegExp(`,1250,,""${others}\\r\\n$`))
  })
})

/** The file as Python's csv module reads it; what our own reader says where there is no Python. */
function pythonRows(bytes: Buffer): string[][] {
  if (spawnSync('python3', ['--version']).status !== 0) return readCsv(bytes.toString().slice(1))
  const script = `import csv, io, json, sys
csv.field_size_limit(1 << 24)
text = sys.stdin.buffer.read().decode('utf-8-sig')
print(json.dumps(list(csv.reader(io.StringIO(text, newline=''), strict=True))))`
  return JSON.parse(execFileSync('python3', ['-c', script], { input: bytes, maxBuffer: 2 ** 28 }).toString())
}
