import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditAccount } from '../../../src/accounts/credit-account.ts'
import { MIGRATIONS, readMigration } from '../../../src/db/migrations/migration-files.ts'
import { deleteJob } from '../../../src/jobs/retention/delete-job.ts'
import { newId } from '../../../src/values/id.ts'
import { readCsv } from '../../setup/checks/csv.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const COLUMNS = ['entry_id', 'kind', 'amount', 'balance', 'job_id', 'api_key_id', 'endpoint_key', 'created_at']
const CREDITS = 1_000_000
const WRITERS = 4
const WRITES = 25

interface Entry {
  readonly entry_id: string
  readonly kind: string
  readonly amount: number
  readonly balance: number
  readonly job_id: string | null
  readonly created_at: string
}

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

const run = (sql: string, values: unknown[] = []) => service.runtime.db.pool.query(sql, values)
const operator = () => service.runtime.as({ kind: 'system' })
const get = (key: string, search = '', headers: Record<string, string> = {}) =>
  call(`${service.url}/api/v1/data/ledger${search}`, { key, headers })

async function pull(key: string, search = '') {
  const { status, text } = await get(key, search)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  const lines = text.trimEnd().split('\n')
  const last = JSON.parse(lines.pop() as string) as { cursor: string; rows: number; complete_before: string }
  const rows = lines.map((line) => JSON.parse(line) as Entry)
  expect(last.rows).toBe(rows.length)
  return { rows, ...{ cursor: last.cursor, completeBefore: last.complete_before } }
}

async function reader() {
  const account = await service.createAccount()
  return { account, key: (await service.createKey(account, ['ledger:read', 'job:read'])).apiKey }
}

/** A charge as programs up to 0.1.0 write it. */
const charge = async (account: string, amount: number, kind = 'charge', job?: string) => {
  const id = job ?? (await insertJob(service.runtime.db, account, { apiKeyId: `key_of ${account}` }))
  await run('insert into credit_entry (account_id, kind, amount, job_id) values ($1, $2, $3, $4)', [
    account,
    kind,
    -amount,
    id,
  ])
  await run('update account set credits = credits - $2 where id = $1', [account, amount])
  return id
}

describe('settledEntries', () => {
  test('are all entries in the order of the ledger with the balance after each, then only new ones', async () => {
    const { account, key } = await reader()
    const [one, two] = [await charge(account, 30), await charge(account, 12)]
    const first = await pull(key)
    expect(Object.keys(first.rows[0]!)).toEqual(COLUMNS)
    const of = { api_key_id: `key_of ${account}`, endpoint_key: 'voice.tts' }
    expect(first.rows).toMatchObject([
      { kind: 'grant', amount: CREDITS, balance: CREDITS, job_id: null, api_key_id: null, endpoint_key: null },
      { kind: 'charge', amount: -30, balance: CREDITS - 30, job_id: one, ...of },
      { kind: 'charge', amount: -12, balance: CREDITS - 42, job_id: two, ...of },
    ])
    expect((await pull(key, `?since=${first.cursor}`)).rows).toEqual([])
    await charge(account, -12, 'refund', two)
    const second = await pull(key, `?since=${first.cursor}`)
    expect(second.rows).toMatchObject([{ kind: 'refund', amount: 12, balance: CREDITS - 30, job_id: two, ...of }])
    const {
      account: { credits },
    } = await read<{ account: { credits: number } }>(service.url, key, '{ account { credits } }')
    expect(credits).toBe(second.rows.at(-1)?.balance)
    expect(second.completeBefore > first.completeBefore).toBe(true)
  })

  test('with a limit come in pages, each complete before the entries that follow', async () => {
    const { account, key } = await reader()
    for (const amount of [30, 12, 7]) await charge(account, amount)
    await run(`update credit_entry set created_at = '2026-01-02' where account_id = $1 and amount = -7`, [account])
    const whole = await pull(key)
    const pages = [await pull(key, '?limit=2')]
    while (pages.at(-1)!.rows.length > 0) pages.push(await pull(key, `?limit=2&since=${pages.at(-1)!.cursor}`))
    expect(pages.map(({ rows }) => rows.length)).toEqual([2, 2, 0])
    expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows)
    expect(pages[0]!.completeBefore).toBe('2026-01-02T00:00:00.000000Z')
    expect(pages[1]!.completeBefore >= whole.completeBefore).toBe(true)
    expect((await get(key, '?limit=0')).status).toBe(400)
  })

  test('of a page have the balance and the time of its cursor, whatever is behind the page', async () => {
    const { account, key } = await reader()
    for (const amount of [30, 12, 7]) await charge(account, amount)
    const whole = await pull(key)
    const first = await pull(key, '?limit=1')
    await run(
      `update credit_entry set amount = -700, created_at = '2025-01-01' where account_id = $1 and amount = -7`,
      [account],
    )
    const second = await pull(key, `?limit=1&since=${first.cursor}`)
    const third = await pull(key, `?limit=1&since=${second.cursor}`)
    expect([first, second, third].flatMap(({ rows }) => rows)).toEqual(whole.rows.slice(0, 3))
    expect([second.completeBefore, third.completeBefore]).toEqual([first.completeBefore, first.completeBefore])
    expect((await pull(key, `?since=${third.cursor}`)).rows).toMatchObject([{ amount: -700, balance: CREDITS - 742 }])
  })

  test('go on after a cursor that names an entry alone, as earlier ones did', async () => {
    const { account, key } = await reader()
    for (const amount of [30, 12, 7]) await charge(account, amount)
    const { rows } = await pull(key)
    const cursorOf = (place: string) => Buffer.from(`ledger ${account} ${place}`).toString('base64url')
    for (const [at, since] of [cursorOf(''), ...rows.map(({ entry_id }) => cursorOf(entry_id))].entries()) {
      expect((await pull(key, `?since=${since}`)).rows).toEqual(rows.slice(at))
      const page = await pull(key, `?since=${since}&limit=1`)
      expect(page.rows).toEqual(rows.slice(at, at + 1))
      expect((await pull(key, `?since=${page.cursor}`)).rows).toEqual(rows.slice(at + 1))
    }
  })

  test('that follow are never from before `complete_before`, which has milliseconds as their times have', async () => {
    const { account, key } = await reader()
    const empty = await pull(key, `?since=${(await pull(key)).cursor}`)
    expect(empty.completeBefore).toMatch(/\.\d{3}000Z$/)
    for (const amount of [30, 12]) await charge(account, amount)
    await run(`update credit_entry set created_at = created_at + interval '1 hour' where account_id = $1`, [account])
    const page = await pull(key, '?limit=1')
    await charge(account, 7)
    const { rows } = await pull(key, `?since=${page.cursor}`)
    expect(rows.at(-1)!.created_at.replace('Z', '000Z') >= page.completeBefore).toBe(true)
  })

  test('stay as they were sent when their job is deleted', async () => {
    const { account, key } = await reader()
    const job = await charge(account, 7)
    const before = await pull(key)
    await deleteJob(operator(), { jobId: job })
    expect((await run('select from job where id = $1', [job])).rowCount).toBe(0)
    expect((await pull(key)).rows).toEqual(before.rows)
  })

  test('come once each and add up, whenever they were committed', async () => {
    const { account, key } = await reader()
    let isOver = false
    const pulled: Entry[] = []
    const pulling = (async () => {
      let search = ''
      for (let isLast = false; !isLast; ) {
        isLast = isOver
        const { rows, cursor } = await pull(key, search)
        pulled.push(...rows)
        search = `?since=${cursor}`
      }
    })()
    // An entry has its number before its transaction waits for the account, as a refund does.
    const late = async () => {
      const client = await service.runtime.db.pool.connect()
      await client.query('begin')
      await client.query(`insert into credit_entry (account_id, kind, amount, public_id) values ($1, 'grant', 5, $2)`, [
        account,
        newId('entry'),
      ])
      await client.query('select pg_sleep(random() / 50)')
      await client.query('update account set credits = credits + 5 where id = $1', [account])
      await client.query('commit')
      client.release()
    }
    const writers = Array.from({ length: WRITERS }, async (_none, n) => {
      for (let i = 0; i < WRITES; i++)
        await (n % 2 === 0 ? late() : creditAccount(service.runtime.as({ kind: 'system' }), { account, amount: -3n }))
    })
    await Promise.all(writers)
    isOver = true
    await pulling
    const whole = await pull(key)
    expect(pulled).toEqual(whole.rows)
    expect([pulled.length, new Set(pulled.map(({ entry_id }) => entry_id)).size]).toEqual([
      1 + WRITERS * WRITES,
      1 + WRITERS * WRITES,
    ])
    let sum = 0
    for (const { amount, balance } of pulled) {
      sum += amount
      expect(balance).toBe(sum)
    }
    const { rows } = await run('select credits from account where id = $1', [account])
    expect(Number(rows[0].credits)).toBe(sum)
  })

  test('wait for a transaction that has an earlier number', async () => {
    const { account, key } = await reader()
    const { cursor } = await pull(key)
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query(`insert into credit_entry (account_id, kind, amount, public_id) values ($1, 'grant', 1, $2)`, [
      account,
      newId('entry'),
    ])
    await charge(account, 2)
    let isAnswered = false
    const asked = pull(key, `?since=${cursor}`).finally(() => {
      isAnswered = true
    })
    await run('select pg_sleep(0.2)')
    expect(isAnswered).toBe(false)
    await client.query('update account set credits = credits + 1 where id = $1', [account])
    await client.query('commit')
    client.release()
    expect((await asked).rows.map(({ amount, balance }) => [amount, balance])).toEqual([
      [1, CREDITS + 1],
      [-2, CREDITS - 1],
    ])
  })

  test('are a CSV with the cursor in its head, compressed for those who accept it', async () => {
    const { account, key } = await reader()
    const job = await charge(account, 9)
    const { headers, bytes } = await get(key, '?format=csv', { 'accept-encoding': 'gzip' })
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(/filename="ledger-.*\.csv"/),
    })
    const [head, ...rows] = readCsv(gunzipSync(bytes).toString())
    expect(head).toEqual(COLUMNS)
    expect(rows.map((row) => row.slice(1, 5))).toEqual([
      ['grant', String(CREDITS), String(CREDITS), ''],
      ['charge', '-9', String(CREDITS - 9), job],
    ])
    expect((await pull(key, `?since=${headers['x-sonant-next-cursor']}`)).rows).toEqual([])
  })

  test('from before the upgrade say the key and the endpoint of their job as well', async () => {
    const { account, key } = await reader()
    const jobs = [await charge(account, 1), await charge(account, 2)]
    await charge(account, -2, 'refund', jobs[1])
    const { rows } = await pull(key)
    await run('update credit_entry set api_key_id = null, endpoint_key = null where account_id = $1', [account])
    const { steps } = await readMigration(MIGRATIONS, '20261129120000_settled_ledger')
    const page = steps.find(({ kind }) => kind === 'pages')!.sql
    const pages = []
    for (let cursor: string | null = null; ; ) {
      const [found] = (await run(page, [cursor])).rows as { cursor: string | null; rows: string }[]
      cursor = found!.cursor
      if (cursor === null) break
      pages.push(Number(found!.rows))
    }
    expect(pages).toEqual([3])
    expect((await pull(key)).rows).toEqual(rows)
  })

  test('need the scope ledger:read, which no key has by default, or account:admin', async () => {
    const account = await service.createAccount()
    const status = async (scopes?: readonly string[]) =>
      (await get((await service.createKey(account, scopes)).apiKey)).status
    expect(
      await Promise.all([status(), status(['job:read']), status(['ledger:read']), status(['account:admin'])]),
    ).toEqual([403, 403, 200, 200])
  })

  test('a cursor of another account or feed, one from the future, and unknown parameters are refused', async () => {
    const [own, other] = [await reader(), await reader()]
    const { cursor } = await pull(other.key)
    const ownPlace = Buffer.from((await pull(own.key)).cursor, 'base64url').toString()
    const changed = Buffer.from(ownPlace.replace(/\/.*\//, '/1+1/')).toString('base64url')
    const jobs = (await call(`${service.url}/api/v1/data/jobs`, { key: own.key })).headers['x-sonant-next-cursor']
    const future = Buffer.from(`ledger ${own.account} entry_01m1g5wm2qf9q8c8yv4xk7n3ta`).toString('base64url')
    for (const search of [
      `?since=${cursor}`,
      `?since=${jobs}`,
      `?since=${future}`,
      '?since=x',
      `?since=${changed}`,
      '?from=2026-01-01',
      '?format=xml',
    ])
      expect([search, (await get(own.key, search)).status]).toEqual([search, 400])
  })
})
