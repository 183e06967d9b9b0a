import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { JobFailure } from '../../../src/jobs/job-states.ts'
import { type Claim, claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { endJobs } from '../../../src/jobs/lifecycle/end-jobs.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import type { QueueRow } from '../../../src/queue/job-source.ts'
import { newId } from '../../../src/values/id.ts'
import { AUDIO } from '../../setup/jobs/jobs.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const TEXT = 'Ten chars.'
const COST = BigInt(TEXT.length)

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service.close())

const query = async <T extends object>(sql: string, values: unknown[] = []) =>
  (await service.runtime.db.pool.query<T>(sql, values)).rows
/** Jobs of a new account, in the order of their ids, with `credits` left when all of them are submitted. */
async function submitted(count: number, credits: bigint) {
  const caller = await service.createCaller(COST * BigInt(count))
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await submitText(service.url, caller.key, 'tts', TEXT, 'aria'))
  await setCredits(caller.account, credits)
  return { ...caller, ids }
}
const setCredits = async (account: string, credits: bigint) => {
  await query(
    `insert into credit_entry (account_id, kind, amount) select id, 'grant', $2 - credits from account where id = $1`,
    [account, credits],
  )
  await query('update account set credits = $2 where id = $1', [account, credits])
}
const claimAll = (ids: readonly string[]) => Promise.all(ids.map((id) => claimJob(service.runtime, id)))
const artifactOf = (jobId: string, storageKey = `${jobId}/1/audio.wav`) => ({
  ...AUDIO,
  storageKey,
})
const complete = (claim: Claim | null, storageKey?: string, row?: QueueRow) =>
  completeJob(service.runtime, claim!, [artifactOf(claim!.jobId, storageKey)], {}, row)
const statusesOf = async (ids: readonly string[]) => {
  const rows = await query<{ id: string; status: string }>('select id, status from job where id = any($1)', [ids])
  return ids.map((id) => rows.find((row) => row.id === id)?.status)
}
const balance = async (account: string) => {
  const [row] = await query<{ credits: string; ledger: string }>(
    `select credits, (select sum(amount) from credit_entry e where e.account_id = a.id)::bigint as ledger from account a where id = $1`,
    [account],
  )
  expect(row?.ledger).toBe(row?.credits)
  return BigInt(row!.credits)
}
/** For how many jobs each statement of this name was sent while `work` ran; what it is sent first is its jobs. */
async function statements(name: string, work: () => Promise<unknown>): Promise<number[]> {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  try {
    await work()
    return query.mock.calls
      .map(([statement]: unknown[]) => statement as { name?: string; values: readonly string[] })
      .flatMap((statement) => (statement.name === name ? [JSON.parse(statement.values[0]!).length] : []))
  } finally {
    query.mockRestore()
  }
}

describe('jobs that a worker takes at the same time', () => {
  test('are claimed and charged, each for itself', async () => {
    const { account, ids } = await submitted(8, COST * 8n)
    const claims = await claimAll(ids)
    expect(claims.map((claim) => [claim?.jobId, claim?.attempt])).toEqual(ids.map((id) => [id, 1]))
    expect(await balance(account)).toBe(0n)
  })

  test('of an account that can pay for some of them only are claimed as far as its credits go, and the others fail', async () => {
    const poor = await submitted(4, COST * 2n + 3n)
    const rich = await submitted(2, COST * 2n)
    const claims = await claimAll([...poor.ids, ...rich.ids])
    expect(claims.filter((claim) => claim !== null)).toHaveLength(4)
    const statuses = (await statusesOf(poor.ids)).toSorted()
    expect(statuses).toEqual(['failed', 'failed', 'processing', 'processing'])
    expect(await statusesOf(rich.ids)).toEqual(['processing', 'processing'])
    expect([await balance(poor.account), await balance(rich.account)]).toEqual([3n, 0n])
  })

  test('and are delivered twice are charged once', async () => {
    const { account, ids } = await submitted(3, COST * 3n)
    const claims = await claimAll([...ids, ...ids])
    expect(new Set(claims.flatMap((claim) => claim?.jobId ?? []))).toEqual(new Set(ids))
    expect(await statusesOf(ids)).toEqual(['processing', 'processing', 'processing'])
    expect(await balance(account)).toBe(0n)
    const charges = await query(`select from credit_entry where account_id = $1 and kind = 'charge'`, [account])
    expect(charges).toHaveLength(3)
  })

  test('are claimed and completed but for one that PostgreSQL refuses, which fails alone until it is refused no more', async () => {
    const { account, ids } = await submitted(4, COST * 4n)
    await query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'refused' using errcode = '23514'; end $$;
       create trigger refuse before update on job for each row when (new.id = '${ids[1]}') execute function refuse()`,
    )
    const settled = await Promise.allSettled(ids.map((id) => claimJob(service.runtime, id)))
    const claims = settled.map((one) => (one.status === 'fulfilled' ? one.value : null))
    expect(claims.map((claim) => claim?.attempt)).toEqual([1, undefined, 1, 1])
    expect(settled[1]).toMatchObject({ status: 'rejected', reason: { message: 'refused' } })
    expect(await balance(account)).toBe(COST)
    await Promise.all(claims.flatMap((claim) => (claim === null ? [] : [complete(claim)])))
    expect(await statusesOf(ids)).toEqual(['completed', 'queued', 'completed', 'completed'])
    await query('drop trigger refuse on job')
    expect(await complete(await claimJob(service.runtime, ids[1]!))).toBe(true)
    expect(await balance(account)).toBe(0n)
  })

  test('are claimed though the account of one of them is locked; that one is when the lock is gone', async () => {
    const [locked, free] = await Promise.all([submitted(1, COST), submitted(3, COST * 3n)])
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from account where id = $1 for update', [locked.account])
    const waiting = claimAll(locked.ids)
    expect((await claimAll(free.ids)).every((claim) => claim !== null)).toBe(true)
    await client.query('commit')
    client.release()
    expect(await waiting).toEqual([expect.objectContaining({ jobId: locked.ids[0] })])
  })
})

describe('jobs that end at the same time', () => {
  test('are completed by one statement with their artifacts', async () => {
    const { ids } = await submitted(8, COST * 8n)
    const claims = await claimAll(ids)
    let completed: boolean[] = []
    expect(
      await statements('end_jobs', async () => {
        completed = await Promise.all(claims.map((claim) => complete(claim)))
      }),
    ).toEqual([ids.length])
    expect(completed).toEqual(ids.map(() => true))
    const artifacts = await query<{ job_id: string; storage_key: string }>(
      'select job_id, storage_key from artifact where job_id = any($1) order by job_id',
      [ids],
    )
    expect(artifacts).toEqual(ids.map((id) => ({ job_id: id, storage_key: `${id}/1/audio.wav` })))
  })

  test('leave the queue with it, but for deliveries that are another worker’s by now', async () => {
    const { ids } = await submitted(3, COST * 3n)
    const claims = await claimAll(ids)
    const rows = await query<QueueRow>(
      `update pgboss.job set state = 'active', retry_count = 2 where data->>'jobId' = any($1)
       returning id, name as queue, data->>'jobId' as "jobId", retry_count as "retryCount"`,
      [ids],
    )
    const rowOf = (n: number, retryCount: number) => ({
      ...rows.find((row) => 'jobId' in row && row.jobId === ids[n])!,
      retryCount,
    })
    const completed = claims.map((claim, n) => complete(claim, undefined, rowOf(n, n === 1 ? 1 : 2)))
    expect(await Promise.all(completed)).toEqual([true, true, true])
    const left = await query(`select data->>'jobId' as id from pgboss.job where data->>'jobId' = any($1)`, [ids])
    expect(left).toEqual([{ id: ids[1] }])
  })

  test('do not end with one whose artifact PostgreSQL refuses, nor with one that another worker has claimed since', async () => {
    const { ids } = await submitted(4, COST * 4n)
    const claims = await claimAll(ids)
    const taken = newId('job', service.runtime.now())
    await complete(claims[0]!, taken)
    await claimJob(service.runtime, ids[2]!)
    const settled = await Promise.allSettled(
      claims.slice(1).map((claim, n) => complete(claim, n === 0 ? taken : undefined)),
    )
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : 'refused'))).toEqual(['refused', false, true])
    expect(await statusesOf(ids)).toEqual(['completed', 'processing', 'processing', 'completed'])
  })

  test('as two attempts at one job end with the newer one, whose files alone are its outputs', async () => {
    const { ids } = await submitted(1, COST)
    const older = (await claimAll(ids))[0]!
    const newer = (await claimAll(ids))[0]!
    expect([older.attempt, newer.attempt]).toEqual([1, 2])
    const finish = (claim: Claim, output: string) =>
      completeJob(service.runtime, claim, [{ ...artifactOf(claim.jobId, `${claim.jobId}/${claim.attempt}/a`), output }])
    expect(await Promise.all([finish(older, 'draft'), finish(newer, 'audio')])).toEqual([false, true])
    const artifacts = await query('select output, storage_key from artifact where job_id = any($1)', [ids])
    expect(artifacts).toEqual([{ output: 'audio', storage_key: `${ids[0]}/2/a` }])
  })

  test('are completed and failed in one transaction, and each that failed is refunded once', async () => {
    const [some, others] = await Promise.all([submitted(3, COST * 3n), submitted(1, COST)])
    const claims = await claimAll([...some.ids, ...others.ids])
    const failure = new JobFailure('RENDER_FAILED', 'not this one')
    const ends = claims.map((claim, n) => ({
      ...claim!,
      ...(n > 0 ? { failure } : { artifacts: [artifactOf(claim!.jobId)] }),
    }))
    const ended = await endJobs(service.runtime, ends, '1s')
    expect(ended.map((one) => one?.refunded)).toEqual([0, 10, 10, 10])
    expect(await statusesOf([...some.ids, ...others.ids])).toEqual(['completed', 'failed', 'failed', 'failed'])
    expect([await balance(some.account), await balance(others.account)]).toEqual([COST * 2n, COST])
    expect(await endJobs(service.runtime, ends, '1s')).toEqual([null, null, null, null])
    expect(await balance(some.account)).toBe(COST * 2n)
  })

  test('are completed though one of them is locked; that one is when the lock is gone', async () => {
    const { ids } = await submitted(3, COST * 3n)
    const claims = await claimAll(ids)
    const client = await service.runtime.db.pool.connect()
    await client.query(BEGIN_HELD)
    await client.query('select from job where id = $1 for update', [ids[0]])
    const waiting = complete(claims[0]!)
    expect(await Promise.all(claims.slice(1).map((claim) => complete(claim)))).toEqual([true, true])
    await client.query('commit')
    client.release()
    expect(await waiting).toBe(true)
  })
})
