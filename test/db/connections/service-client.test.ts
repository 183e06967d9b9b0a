import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { inTransaction } from '../../../src/db/database.ts'
import { finishedJob } from '../../setup/jobs/fixtures.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/postgres/database.ts'
import { lockJobs } from '../../setup/postgres/locked-table.ts'
import { startTransactionPooler } from '../../setup/servers/transaction-pooler.ts'
import { ask } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'

const TIMEOUT = 'show idle_in_transaction_session_timeout'

type BehindPooler = Awaited<ReturnType<typeof startBehindPooler>>

async function startBehindPooler(worker: boolean) {
  const database: TestDatabase = await createTestDatabase()
  const pooler = await startTransactionPooler(database.url)
  const env = { DATABASE_URL: pooler.url, DIRECT_DATABASE_URL: database.url, LOG_LEVEL: 'silent' }
  const service: TestRuntime = await startTestRuntime({ worker, env })
  const close = async () => {
    await service.close()
    await pooler.close()
    await database.drop()
  }
  return { database, service, close }
}

describe('behind a pooler in transaction mode, with DIRECT_DATABASE_URL', () => {
  let behind: BehindPooler
  let { database, service } = {} as BehindPooler
  beforeAll(async () => {
    behind = await startBehindPooler(true)
    ;({ database, service } = behind)
  })
  afterAll(() => behind?.close())

  test('jobs are submitted and completed, and their subscribers hear of it', async () => {
    const { key } = await service.createCaller()
    const client = openSocketClient(service.url, key)
    const heard = client.subscribe<{ jobsUpdated: { status: string } }>('subscription { jobsUpdated { status } }')
    const ids = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => submitText(service.url, key, 'tts', `${n}.`, 'aria')))
    for (const id of ids) expect((await finishedJob(service.url, key, id)).status).toBe('completed')
    await heard.waitFor(({ jobsUpdated }) => jobsUpdated.status === 'COMPLETED')
    await client.dispose()
  })

  test('no lock and no setting stays with a connection that others use next', async () => {
    const client = new Client({ connectionString: database.url })
    await client.connect()
    // A transaction under way may hold some: they go with it.
    const kept = async () =>
      (
        await client.query(
          `select l.objid, a.query from pg_locks l join pg_stat_activity a using (pid)
            where l.locktype = 'advisory' and a.datname = current_database() and a.state = 'idle'`,
        )
      ).rows
    await expect.poll(kept).toEqual([])
    await client.end()
    expect((await service.runtime.db.pool.query(TIMEOUT)).rows).toEqual([{ idle_in_transaction_session_timeout: '0' }])
  })

  test('a transaction that its process has forgotten is ended all the same, and one of Prisma as well', async () => {
    const { db } = service.runtime
    const inside = await inTransaction(db, async (tx) => (await tx.query(TIMEOUT)).rows[0])
    const viaPrisma = await db.prisma.$transaction((tx) => tx.$queryRawUnsafe<object[]>(TIMEOUT))
    expect([inside, ...viaPrisma]).toEqual(Array(2).fill({ idle_in_transaction_session_timeout: '15s' }))
  })

  test("a caller's statement is cancelled when it disconnects", async () => {
    // A worker's own statements would wait for the locked table as well.
    const behind = await startBehindPooler(false)
    const { service } = behind
    const { key } = await service.createCaller()
    const jobs = await lockJobs(service.runtime)
    const client = openSocketClient(service.url, key)
    try {
      const query = client.subscribe('{ jobs { totalCount edges { node { id } } } }')
      await jobs.waitedFor()
      query.end()
      await jobs.givenUp()
    } finally {
      await jobs.unlock()
      await client.dispose()
    }
    expect((await ask(service.url, key, '{ jobs { totalCount } }')).errors).toBeUndefined()
    await behind.close()
  })
})

describe('a server that takes no writes any more', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  })
  afterAll(() => service?.close())

  const submit = async (key: string) => {
    const response = await fetch(`${service.url}/api/v1/voice/tts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ inputs: { text: 'Hello.', voice: 'aria' } }),
    })
    return [response.status, response.headers.get('retry-after')]
  }

  test('is not used again by a connection that was open before: a submission is repeated on another one', async () => {
    const { key } = await service.createCaller()
    const { pool } = service.runtime.db
    const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
    for (const client of clients) await client.query('set default_transaction_read_only = on')
    for (const client of clients) client.release()
    expect(await submit(key)).toEqual([202, null])
  })

  test('is recognised on connect: 503 with Retry-After through every door, and readiness says why', async () => {
    const { key } = await service.createCaller()
    const { pool, url } = service.runtime.db
    const name = new URL(url).pathname.slice(1)
    const admin = new Client({ connectionString: url })
    await admin.connect()
    try {
      await admin.query(`alter database ${name} set default_transaction_read_only = on`)
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'sonant' and datname = current_database()`,
      )
      expect.soft(await submit(key)).toEqual([503, '1'])
      const { errors } = await ask(service.url, key, '{ account { credits } }')
      expect.soft(errors?.[0]?.extensions.code ?? 'UNAVAILABLE').toBe('UNAVAILABLE')
      const ready = await fetch(`${service.url}/health/ready`)
      expect
        .soft([ready.status, await ready.json()])
        .toEqual([503, expect.objectContaining({ status: 'unready', database: 'read-only' })])
      // One that was refused may be on its way out.
      await expect.poll(() => pool.totalCount).toBe(0)
    } finally {
      await admin.query('set default_transaction_read_only = off')
      await admin.query(`alter database ${name} reset default_transaction_read_only`)
      await admin.end()
    }
    expect(await submit(key)).toEqual([202, null])
  })
})

describe('a role that may have few connections', () => {
  test('is served with those that it has: what finds none waits for one of them', async () => {
    const service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
    const admin = new Client({ connectionString: service.runtime.db.url })
    await admin.connect()
    const name = new URL(service.runtime.db.url).pathname.slice(1)
    const { key } = await service.createCaller()
    try {
      await admin.query(`create role ${name} login superuser`)
      await admin.query(`alter role ${name} connection limit 6`)
      await admin.query(`alter role ${name} nosuperuser; grant all on database ${name} to ${name}`)
      await admin.query(
        `grant all on schema public, pgboss to ${name}; grant all on all tables in schema public, pgboss to ${name};
         grant all on all sequences in schema public, pgboss to ${name}; grant all on all functions in schema pgboss to ${name}`,
      )
      const url = new URL(service.runtime.db.url)
      url.username = name
      const limited = await startTestRuntime({ env: { LOG_LEVEL: 'silent', DATABASE_URL: url.href } })
      try {
        const texts = Array.from({ length: 60 }, (_none, n) => `Number ${n}.`)
        await Promise.all(texts.map((text) => submitText(limited.url, key, 'tts', text, 'aria')))
      } finally {
        await limited.close()
      }
    } finally {
      await admin.end()
      await service.close()
      await dropRole(name)
    }
  })
})

/** Its grants went with its database. */
async function dropRole(name: string): Promise<void> {
  const admin = new Client({ connectionString: inject('databaseUrl') })
  await admin.connect()
  await admin.query(`drop role if exists ${name}`)
  await admin.end()
}
