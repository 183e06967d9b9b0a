import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { balancesAfter, creditDays, creditEntries } from '../../../src/accounts/credit-entries.ts'
import { inTransaction, type Tx } from '../../../src/db/database.ts'
import { exportLedger } from '../../../src/jobs/export/export-jobs.ts'
import { jobsUpdated, jobUpdated } from '../../../src/jobs/live/jobs-updated.ts'
import { notifyJob } from '../../../src/jobs/live/notify-job.ts'
import { eraseJobs } from '../../../src/jobs/retention/delete-job.ts'
import type { Queue } from '../../../src/queue/queue.ts'
import { newId } from '../../../src/values/id.ts'
import { redeliverWebhook } from '../../../src/webhooks/delivery/redeliver-webhook.ts'
import { startWorker, type Worker } from '../../../src/worker/start-worker.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../../setup/jobs/voice-jobs.ts'
import { sonantOn } from '../../setup/processes/process.ts'
import { codeOf, errorOf, type GraphqlError, mutation } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const DELETE = mutation('deleteJob(jobId: $id)', '... on DeleteJobSuccess { jobId }', '($id: ID!)')
const CREDITS = 1_000n
const DAY_MS = 86_400_000

let service: TestRuntime
let worker: Worker
beforeAll(async () => {
  service = await startTestRuntime()
  await applyEndpoint(service.runtime, 'quick', { pool: 'quick' })
  worker = await startWorker(service.runtime, { pools: ['quick'], engines: standInEngines(() => undefined) })
})
afterAll(async () => {
  await worker.stop()
  await service.close()
})

const rows = async (sql: string, values: unknown[]) => (await service.runtime.db.pool.query(sql, values)).rows
const remove = async (key: string, id: string) =>
  (await call(`${service.url}/graphql`, { method: 'POST', key, body: { query: DELETE, variables: { id } } })).json<{
    data: { deleteJob: { jobId?: string } } | null
    errors?: GraphqlError[]
  }>()
const owner = async (account: string) =>
  (await service.createKey(account, ['account:admin', 'job:read', 'generate:voice'])).apiKey

/** The CSV of the account's jobs from yesterday to tomorrow. */
const exported = async (key: string) => {
  const [from, to] = [-DAY_MS, DAY_MS].map((distance) => new Date(Date.now() + distance).toISOString())
  return (await call(`${service.url}/api/v1/jobs/export?from=${from}&to=${to}`, { key })).text
}

/** The account's ledger as each door shows it: its file, its entries with their balances, its sums by day. */
async function ledgerOf(account: string) {
  const operator = service.runtime.as({ kind: 'system' })
  const { csv } = await exportLedger(operator, { account })
  const { edges } = await creditEntries(operator, { account })
  const ids = edges.map(({ node }) => String(node.id))
  const [to, from] = [operator.now(), new Date(operator.now().getTime() - DAY_MS)]
  return {
    csv: await text(csv),
    balances: await balancesAfter(operator, ids),
    days: await creditDays(operator, { account, from, to: new Date(to.getTime() + DAY_MS) }).then((days) =>
      days.map(({ spent, granted, carried }) => [spent, granted, carried]),
    ),
  }
}

/** A rendered job, with the address of its audio. */
async function spoken(text: string) {
  const account = await service.createAccount(CREDITS)
  const key = await owner(account)
  const id = await submitText(service.url, key, 'quick', text)
  await allFinished(service.runtime, [id])
  const { outputs } = await readJob(service.url, key, id)
  return { account, key, id, audio: Object.values(outputs ?? {})[0] ?? '' }
}

describe('deleteJob', () => {
  test('leaves nothing of a job but its entry in the ledger, of which each reading is as before', async () => {
    const { account, key, id, audio } = await spoken('Forget me.')
    await rows('insert into job_attempt (job_id, attempt) values ($1, 1)', [id])
    expect((await call(audio)).status).toBe(200)
    expect(await exported(key)).toContain(id)
    const ledger = await ledgerOf(account)
    expect((await remove(key, id)).data?.deleteJob).toEqual({ jobId: id })
    expect(await ledgerOf(account)).toEqual(ledger)
    expect(ledger.csv).toContain(`charge,-10,${Number(CREDITS) - 10},${id},`)
    const gone = [`/api/v1/voice/jobs/${id}`, `/api/v1/jobs/${id}`]
    for (const path of gone) expect((await call(service.url + path, { key })).status, path).toBe(404)
    expect((await call(audio)).status).toBe(404)
    const list = await call(`${service.url}/api/v1/jobs`, { key })
    expect(list.json()).toMatchObject({ jobs: [], total: 0 })
    const node = { query: `{ node(id: "${id}") { id } jobs { totalCount } jobStats { jobs } }` }
    const shown = await call(`${service.url}/graphql`, { method: 'POST', key, body: node })
    expect(shown.json()).toMatchObject({ data: { node: null, jobs: { totalCount: 0 }, jobStats: [{ jobs: 0 }] } })
    const csv = await exported(key)
    expect(csv).toMatch(/\bjob_id\b/)
    expect(csv).not.toContain(id)
    const attempts = ['abandoned_attempt', 'job_attempt']
    for (const table of ['artifact', 'idempotency_record', 'webhook_delivery', ...attempts])
      expect(await rows(`select * from ${table} where job_id = $1`, [id]), table).toEqual([])
    const [entries] = await rows('select sum(amount)::int as sum from credit_entry where account_id = $1', [account])
    const [balance] = await rows('select credits::int as credits from account where id = $1', [account])
    expect(entries.sum).toBe(balance.credits)
    expect(balance.credits).toBe(Number(CREDITS) - 'Forget me.'.length)
    expect(codeOf(await remove(key, id))).toBe('NOT_FOUND')
  })

  test('of many deletes each that has ended, names the others, and finds none again', async () => {
    const { account, key, id } = await spoken('One of many.')
    const [running, foreign] = [
      await insertJob(service.runtime.db, account, { status: 'processing' }),
      await insertJob(service.runtime.db, await service.createAccount()),
    ]
    const query = mutation(
      'deleteJobs(ids: $ids)',
      '... on DeleteJobsSuccess { results { id isDeleted error { code } } }',
      '($ids: [ID!]!)',
    )
    const removeAll = async (ids: readonly string[], by = key) =>
      (await call(`${service.url}/graphql`, { method: 'POST', key: by, body: { query, variables: { ids } } })).json<{
        data: { deleteJobs: { results?: { id: string; isDeleted: boolean; error: { code: string } | null }[] } }
      }>()
    const shown = async (ids: readonly string[]) =>
      (await removeAll(ids)).data.deleteJobs.results?.map((one) => [one.id, one.isDeleted, one.error?.code])
    const kept = [
      [running, false, 'INVALID_REQUEST'],
      [foreign, false, 'NOT_FOUND'],
    ]
    expect(await shown([id, running, foreign, id])).toEqual([[id, true, undefined], ...kept])
    expect(await shown([id, running, foreign])).toEqual([[id, false, 'NOT_FOUND'], ...kept])
    expect(codeOf(await removeAll([]))).toBe('INVALID_REQUEST')
    const reader = (await service.createKey(account, ['job:read'])).apiKey
    expect(codeOf(await removeAll([running], reader))).toBe('FORBIDDEN')
  })

  test('refuses a job that has not ended, or has a webhook to be delivered, and keeps it whole', async () => {
    const account = await service.createAccount()
    const key = await owner(account)
    const queued = await insertJob(service.runtime.db, account, { type: 'companion_chat', status: 'processing' })
    const refused = { code: 'INVALID_REQUEST', details: [{ path: '/id' }] }
    expect(errorOf(await remove(key, queued))).toMatchObject(refused)
    const told = await insertJob(service.runtime.db, account)
    await rows(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, body, next_attempt_at, created_at)
       values ('msg_' || $1, $2, 'job', $1, 'https://example.com', 1, 's', 'b', now() + interval '1 hour', now())`,
      [told, account],
    )
    expect(errorOf(await remove(key, told))).toMatchObject(refused)
    expect(await rows('select id from job where account_id = $1 order by id', [account])).toHaveLength(2)
    await rows(`update webhook_delivery set state = 'succeeded', finished_at = now() where job_id = $1`, [told])
    expect((await remove(key, told)).data?.deleteJob).toEqual({ jobId: told })
  })

  test('loses no webhook that is being sent again: the job stays, and so it does at a purge', async () => {
    const { runtime } = service
    const account = await service.createAccount()
    const [key, id] = [await owner(account), await insertJob(runtime.db, account)]
    await rows(
      `insert into webhook_delivery (id, account_id, kind, job_id, url, timestamp, signature, state, finished_at, next_attempt_at, created_at)
       values ($1, $2, 'job', $3, 'https://example.com', 1, 's', 'failed', now(), now(), now())`,
      [newId('msg'), account, id],
    )
    const [{ id: delivery }] = await rows('select id from webhook_delivery where job_id = $1', [id])
    const ctx = runtime.as({ kind: 'account', accountId: account, credits: 1n })
    let deletion: ReturnType<typeof remove> | undefined
    const enqueue: Queue['enqueue'] = async (...args) => {
      await ctx.queue.enqueue(...args)
      const purge = async (tx: Tx) => {
        await tx.query(`set local lock_timeout = '1s'`)
        return (await eraseJobs(tx, [id])).jobs.map((job) => job.id)
      }
      expect(await inTransaction(runtime.db, purge)).toEqual([])
      deletion = remove(key, id)
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await until(async () => (await rows(waits, [])).length > 0, 60_000, 'the deletion to wait')
    }
    await redeliverWebhook({ ...ctx, queue: { ...ctx.queue, enqueue } }, { id: delivery })
    expect(errorOf((await deletion)!)).toMatchObject({ code: 'INVALID_REQUEST' })
    const kept = 'select j.id, d.state from job j join webhook_delivery d on d.job_id = j.id where j.id = $1'
    expect(await rows(kept, [id])).toEqual([{ id, state: 'pending' }])
  })

  test('is for owners of the account alone, and for the operator', async () => {
    const { account, key, id } = await spoken('Mine.')
    const { apiKey: submitter } = await service.createKey(account)
    expect(codeOf(await remove(submitter, id))).toBe('FORBIDDEN')
    const other = await owner(await service.createAccount())
    expect(codeOf(await remove(other, id))).toBe('NOT_FOUND')
    expect(await readJob(service.url, key, id)).toMatchObject({ status: 'completed' })
    const env = { DATABASE_URL: service.runtime.db.url, DATA_DIR: service.dataDir }
    expect(await sonantOn(env, 'jobs', 'delete', id)).toEqual({ job_id: id, deleted: true })
    expect((await call(`${service.url}/api/v1/jobs/${id}`, { key })).status).toBe(404)
  })

  test('ends the subscription to the job, and a subscription to all goes on without it', async () => {
    const { runtime } = service
    const account = await service.createAccount(CREDITS)
    const ctx = runtime.as({ kind: 'account', accountId: account, credits: 1n })
    const [gone, kept] = await Promise.all([1, 2].map(() => insertJob(runtime.db, account, { status: 'queued' })))
    const [one, all] = await Promise.all([jobUpdated(ctx, { jobId: gone! }), jobsUpdated(ctx, {})])
    expect((await one.next()).value).toMatchObject({ id: gone, status: 'queued' })
    const firsts = [await all.next(), await all.next()].map(({ value }) => value?.id)
    expect(firsts.sort()).toEqual([gone, kept].sort())
    // As where its end was missed.
    await rows('delete from job where id = $1', [gone])
    notifyJob(runtime, { accountId: account, jobId: gone! })
    expect(await one.next()).toEqual({ done: true, value: undefined })
    await rows(`update job set status = 'processing' where id = $1`, [kept])
    notifyJob(runtime, { accountId: account, jobId: kept! })
    expect((await all.next()).value).toMatchObject({ id: kept, status: 'processing' })
    await all.return?.()
  })
})
