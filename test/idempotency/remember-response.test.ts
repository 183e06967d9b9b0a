import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { INSERT_JOB_ONCE } from '../../src/jobs/lifecycle/queue-job.ts'
import { BEGIN_HELD } from '../setup/postgres/held-transaction.ts'
import { lost } from '../setup/postgres/lost-answer.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type Door, post, startDoor } from '../setup/service/start-rest.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const AT_ONCE = 24
/** The place of the keys among the parameters. */
const KEYS = 11
/** Broken off since another transaction had one of its keys for too long. */
const HELD_UP = '55P03'
const ROWS = `
  select j.id, r.key, q.id is not null as "isQueued", r.xmin = j.xmin and q.xmin = j.xmin as "isOne"
  from job j left join idempotency_record r on r.job_id = j.id left join pgboss.job q on q.data->>'jobId' = j.id
  where j.account_id = $1 order by r.key`
const BLOCKED = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock' and query like '%idempotency_record%'`

let door: Door
let second: TestRuntime
beforeAll(async () => {
  door = await startDoor()
  second = await startTestRuntime({ env: { LOG_LEVEL: 'silent', DATABASE_URL: door.runtime.db.url } })
})
afterAll(async () => {
  await second.close()
  await door.close()
})

const rows = async (text: string, values: unknown[] = []) => (await door.runtime.db.pool.query(text, values)).rows
const caller = async () => {
  const account = await door.createAccount(1_000n)
  return { account, key: await door.createKeyOf(account, ['generate:voice']) }
}
const submit = async (key: string, order: string, text = 'Once.', url = door.url) => {
  const request = post(key, { inputs: { text, voice: 'aria' } }, { 'idempotency-key': order })
  const response = await fetch(`${url}/api/v1/voice/tts`, request)
  const { job_id: id, error_code: code } = (await response.json()) as { job_id?: string; error_code?: string }
  return { status: response.status, id, code, isReplayed: response.headers.get('idempotency-replayed') === 'true' }
}
const orders = Array.from({ length: AT_ONCE }, (_, n) => `order ${String(n).padStart(2, '0')}`)

/** Notes the names and beginnings of the statements that the work sends. */
async function sent(work: () => Promise<unknown>): Promise<string[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return query.mock.calls
      .map(([statement]: unknown[]) => statement as string | { name?: string; text: string })
      .map((statement) => (typeof statement === 'string' ? statement : (statement.name ?? statement.text)).trim())
  } finally {
    query.mockRestore()
  }
}
const isInsertion = (name: string) => name.startsWith(`${INSERT_JOB_ONCE.name} `)

interface Insertion {
  /** One for each submission in it. */
  readonly keys: readonly unknown[]
  /** PostgreSQL's code of what it failed with. */
  readonly failure: unknown
}

/** The statements with which the work's submissions were to be committed. */
async function insertions(work: () => Promise<unknown>): Promise<Insertion[]> {
  const { pool } = door.runtime.db
  const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>
  const made: Insertion[] = []
  const watching = vi.spyOn(pool, 'query').mockImplementation((async (...given: unknown[]) => {
    const { name = '', values } = given[0] as { name?: string; values?: readonly unknown[][] }
    const note = (failure: unknown) => isInsertion(name) && made.push({ keys: values![KEYS]!, failure })
    try {
      const answer = await query(...given)
      note(undefined)
      return answer
    } catch (error) {
      note((error as { code?: unknown }).code)
      throw error
    }
  }) as never)
  try {
    await work()
    return made
  } finally {
    watching.mockRestore()
  }
}

describe('a submission with an Idempotency-Key', () => {
  test('takes the look-up of its API key and one statement, in which key, job and queue row are committed', async () => {
    const { account, key } = await caller()
    await submit(key, 'first')
    const statements = await sent(() => submit(key, 'second'))
    const own = statements.filter((name) => name === 'authenticate' || /idempoten|insert_|begin|commit/i.test(name))
    expect(own.map((name) => name.split(' ')[0])).toEqual(['authenticate', INSERT_JOB_ONCE.name])
    expect(await rows(ROWS, [account])).toEqual(
      ['first', 'second'].map((order) => ({ id: expect.any(String), key: order, isQueued: true, isOne: true })),
    )
  })

  test('shares its commit with those that come at the same time', async () => {
    const { account, key } = await caller()
    let answers: Awaited<ReturnType<typeof submit>>[] = []
    let made: Insertion[] = []
    const statements = await sent(async () => {
      made = await insertions(async () => {
        answers = await Promise.all(orders.map((order) => submit(key, order)))
      })
    })
    expect(answers.map(({ status, isReplayed }) => [status, isReplayed])).toEqual(orders.map(() => [202, false]))
    const stored = await rows(ROWS, [account])
    expect(stored.map((row) => row.key)).toEqual(orders)
    expect(stored.every(({ isOne }) => isOne)).toBe(true)
    expect(Math.max(...made.map(({ keys }) => keys.length))).toBeGreaterThan(1)
    expect(statements.filter((text) => text.startsWith('begin'))).toEqual([])
  })

  test('is answered with the job of another that is committed with it, or refused where that one is another request', async () => {
    const { account, key } = await caller()
    const texts = ['One.', 'One.', 'Another.', 'One.']
    const asked = orders.slice(0, 4).flatMap((order) => texts.map((text) => ({ order, text })))
    let answers: ((typeof asked)[number] & Awaited<ReturnType<typeof submit>>)[] = []
    const made = await insertions(async () => {
      answers = await Promise.all(
        asked.map(async ({ order, text }) => ({ order, text, ...(await submit(key, order, text)) })),
      )
    })
    expect(made.some(({ keys, failure }) => failure === undefined && new Set(keys).size < keys.length)).toBe(true)
    // Where a statement takes so long that the next one goes, that waits for its keys.
    expect(made.filter(({ failure }) => failure !== undefined && failure !== HELD_UP)).toEqual([])
    const stored = await rows(ROWS, [account])
    expect(stored.map((row) => row.key)).toEqual(orders.slice(0, 4))
    for (const { id, key: order } of stored) {
      const of = answers.filter((answer) => answer.order === order)
      const makers = of.filter(({ status, isReplayed }) => status === 202 && !isReplayed)
      expect(makers.map((answer) => answer.id)).toEqual([id])
      for (const { text, ...answer } of of.filter((other) => other !== makers[0]))
        expect([answer.status, answer.id, answer.code]).toEqual(
          text === makers[0]!.text ? [202, id, undefined] : [422, undefined, 'IDEMPOTENCY_MISMATCH'],
        )
    }
  })

  test('makes one job where two processes get its key at once', async () => {
    const { account, key } = await caller()
    const answers = await Promise.all(
      orders.flatMap((order) => [door.url, second.url].map((url) => submit(key, order, 'Twice.', url))),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202))
    const stored = await rows(ROWS, [account])
    expect(stored.map((row) => row.key)).toEqual(orders)
    expect(
      answers
        .filter(({ isReplayed }) => !isReplayed)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(stored.map(({ id }) => id).toSorted())
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(stored.map(({ id }) => id)))
  })

  test('waits for a transaction that holds its key, while those that came with it are committed', async () => {
    const { account, key } = await caller()
    const client = await door.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    const held = `insert into idempotency_record (account_id, key, request_hash, job_id) values ($1, $2, '\\x00', 'none')`
    await client.query(held, [account, orders[0]])
    const [waiting, ...others] = orders.slice(0, 4).map((order) => submit(key, order))
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual([202, 202, 202])
    await until(async () => (await rows(BLOCKED))[0].count === 1, TIMEOUT_MS, 'the one to wait')
    await client.query('rollback')
    client.release()
    expect(await waiting).toMatchObject({ status: 202, isReplayed: false })
    expect((await rows(ROWS, [account])).map((row) => row.key)).toEqual(orders.slice(0, 4))
  })

  test('is answered with its job while another transaction holds the record, as a repetition locks and writes nothing', async () => {
    const { account, key } = await caller()
    const { id } = await submit(key, 'made')
    const client = await door.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from idempotency_record where account_id = $1 for update', [account])
    expect(await submit(key, 'made')).toMatchObject({ status: 202, id, isReplayed: true })
    expect(await submit(key, 'made', 'Another.')).toMatchObject({ status: 422, code: 'IDEMPOTENCY_MISMATCH' })
    await client.query('rollback')
    client.release()
  })

  test('makes one job, and is answered as its maker, where the answer to its commit was lost', async () => {
    const { account, key } = await caller()
    const { pool } = door.runtime.db
    const query = pool.query.bind(pool) as (...given: unknown[]) => Promise<unknown>
    let together = 0
    const losing = vi.spyOn(pool, 'query').mockImplementation((async (...given: unknown[]) => {
      const answer = await query(...given)
      const { name = '', values } = given[0] as { name?: string; values?: readonly unknown[][] }
      if (!isInsertion(name) || values![0]!.length < 2 || together > 0) return answer
      together = values![0]!.length
      throw lost()
    }) as never)
    const answers = await Promise.all(orders.map((order) => submit(key, order)))
    losing.mockRestore()
    expect(together).toBeGreaterThan(1)
    expect(answers.map(({ status, isReplayed }) => [status, isReplayed])).toEqual(orders.map(() => [202, false]))
    const stored = await rows(ROWS, [account])
    expect(stored.map(({ id }) => id)).toEqual(answers.map(({ id }) => id))
    expect(stored.every(({ isOne }) => isOne)).toBe(true)
  })

  test('is committed where PostgreSQL refuses another of the same statement, which leaves no key, job or queue row', async () => {
    const { account, key } = await caller()
    await rows(`alter table job add constraint no_13 check (inputs->>'text' <> 'Thirteen.') not valid`)
    const answers = await Promise.all(orders.map((order, n) => submit(key, order, n === 13 ? 'Thirteen.' : 'Good.')))
    await rows('alter table job drop constraint no_13')
    expect(answers.map(({ status }) => status)).toEqual(orders.map((_, n) => (n === 13 ? 500 : 202)))
    expect((await rows(ROWS, [account])).map((row) => row.key)).toEqual(orders.filter((_, n) => n !== 13))
    const left = `select from idempotency_record where account_id = $1 and key = $2`
    expect(await rows(left, [account, orders[13]])).toEqual([])
    expect(await submit(key, orders[13]!, 'Thirteen.')).toMatchObject({ status: 202, isReplayed: false })
  })

  test('takes over a key that has expired, by one of those that come with it', async () => {
    const { account, key } = await caller()
    const first = await submit(key, 'old', 'Yesterday.')
    await rows(`update idempotency_record set created_at = now() - interval '25 hours' where account_id = $1`, [
      account,
    ])
    const answers = await Promise.all([1, 2, 3].map(() => submit(key, 'old', 'Today.')))
    const made = answers.filter(({ isReplayed }) => !isReplayed)
    expect(made).toHaveLength(1)
    expect(made[0]!.id).not.toBe(first.id)
    expect(answers.map(({ status, id }) => [status, id])).toEqual(answers.map(() => [202, made[0]!.id]))
  })

  test('is answered with its job where today it would be refused, and with 422 before 400 and 402', async () => {
    const { account, key } = await caller()
    const first = await submit(key, 'paid')
    await rows('update account set credits = 0 where id = $1', [account])
    expect(await submit(key, 'paid')).toEqual({ ...first, isReplayed: true })
    expect(await submit(key, 'paid', 'Another.')).toMatchObject({ status: 422, code: 'IDEMPOTENCY_MISMATCH' })
    expect(await submit(key, 'paid', '')).toMatchObject({ status: 422, code: 'IDEMPOTENCY_MISMATCH' })
    expect(await submit(key, 'new', '')).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
    expect(await submit(key, 'new')).toMatchObject({ status: 402, code: 'PAYMENT_REQUIRED' })
  })
})
