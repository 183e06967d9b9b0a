import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readCsv } from '../../setup/checks/csv.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { lockJobs } from '../../setup/postgres/locked-table.ts'
import { type Door, startDoor } from '../../setup/service/start-rest.ts'
import { until } from '../../setup/wait.ts'

const JOBS = 300
const SUBMITTERS = 6
const PAGE = 100

let door: Door
beforeAll(async () => {
  door = await startDoor()
})
afterAll(() => door.close())

const submit = async (key: string) => {
  const { body, status } = await door.send({
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: { text: 'Good morning.', voice: door.firstVoice() } }),
  })
  expect(status).toBe(202)
  return body.job_id
}

/** The ids of an export. */
async function exported(key: string, from: Date, to: Date): Promise<string[]> {
  const window = `?from=${from.toISOString()}&to=${to.toISOString()}`
  const { status, text } = await call(`${door.url}/api/v1/jobs/export${window}`, { key })
  expect(status, text).toBe(200)
  return readCsv(text.replace(/^\ufeff/, ''))
    .slice(1)
    .map(([id]) => id as string)
}

/** The ids of a list, page by page. */
async function listed(key: string, from: Date, to: Date, offset = 0): Promise<string[]> {
  const window = `?limit=${PAGE}&offset=${offset}&from=${from.toISOString()}&to=${to.toISOString()}`
  const { jobs } = (await call(`${door.url}/api/v1/jobs${window}`, { key })).json<{ jobs: { job_id: string }[] }>()
  const ids = jobs.map(({ job_id }) => job_id)
  return ids.length < PAGE ? ids : [...ids, ...(await listed(key, from, to, offset + PAGE))]
}

/** A caller and a moment before its first job. */
async function newCaller() {
  const account = await door.createAccount(1_000_000n)
  const key = await door.createKeyOf(account, ['generate:voice', 'job:read', 'account:admin'])
  return { account, key, start: door.runtime.as({ kind: 'system' }).now() }
}

const now = () => door.runtime.as({ kind: 'system' }).now()

test.each([
  ['exports', exported],
  ['lists', listed],
])(
  'every job is in exactly one of the adjacent windows of %s that are read while jobs are submitted',
  async (_, read: typeof exported) => {
    const { key, start } = await newCaller()
    const submitted: string[] = []
    const submitters = Array.from({ length: SUBMITTERS }, async () => {
      while (submitted.length < JOBS) submitted.push(await submit(key))
    })
    const found: string[] = []
    let last = start
    const next = async () => {
      const to = now()
      found.push(...(await read(key, last, to)))
      last = to
    }
    const over = Promise.all(submitters)
    let isOver = false
    void over.finally(() => {
      isOver = true
    })
    while (!isOver) await next()
    await over
    await next()
    expect(found.toSorted()).toEqual(submitted.toSorted())
  },
)

test('an export waits for the job that is being inserted when its window ends', async () => {
  const { account, key, start } = await newCaller()
  const writer = new Client(door.runtime.db.url)
  await writer.connect()
  await writer.query('begin')
  const jobId = await insertJob({ pool: writer } as never, account, {})
  let isRead = false
  const export_ = exported(key, start, now()).finally(() => {
    isRead = true
  })
  const asked = async () =>
    (await door.runtime.db.pool.query('select from job_horizon where account_id = $1', [account])).rowCount === 1
  await until(asked, 10_000, 'the export to wait')
  expect(isRead).toBe(false)
  await writer.query('commit')
  await writer.end()
  expect(await export_).toEqual([jobId])
})

test('a job that reaches the database after a window of its time was read gets a later time', async () => {
  const { account, key } = await newCaller()
  const table = await lockJobs(door.runtime)
  const submission = submit(key)
  const waits = async () =>
    (
      await door.runtime.db.pool.query(
        `select from pg_locks where relation = 'job'::regclass and not granted and mode = 'RowExclusiveLock'`,
      )
    ).rowCount
  await until(async () => (await waits()) === 1, 10_000, 'the submission to wait')
  await door.runtime.db.pool.query('insert into job_horizon values ($1, clock_timestamp())', [account])
  await table.unlock()
  const jobId = await submission
  const { rows } = await door.runtime.db.pool.query(
    'select j.created_at >= h.at as later from job j join job_horizon h using (account_id) where id = $1',
    [jobId],
  )
  expect(rows).toEqual([{ later: true }])
})

test('a window of the ledger waits for the entry that is being written when it ends', async () => {
  const { account, key } = await newCaller()
  const writer = new Client(door.runtime.db.url)
  await writer.connect()
  await writer.query('begin')
  await writer.query(`insert into credit_entry (account_id, kind, amount) values ($1, 'grant', 7)`, [account])
  const query = `query ($to: DateTime!) { creditEntries(first: 1, createdAt: { to: $to }) { edges { node { amount } } } }`
  const answer = call(`${door.url}/graphql`, { key, method: 'POST', body: { query, variables: { to: now() } } })
  let isRead = false
  void answer.finally(() => {
    isRead = true
  })
  await wait(500)
  expect(isRead).toBe(false)
  await writer.query('commit')
  await writer.end()
  expect((await answer).json()).toMatchObject({ data: { creditEntries: { edges: [{ node: { amount: 7 } }] } } })
})
