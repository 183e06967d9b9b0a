import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreDown } from '../../../src/errors/outages.ts'
import { JobFailure } from '../../../src/jobs/job-states.ts'
import { type ClaimRegistry, claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { endJob } from '../../../src/jobs/lifecycle/end-jobs.ts'
import { performJob } from '../../../src/jobs/lifecycle/perform-job.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { NotSoon, ServerUnwell, Stopping } from '../../../src/queue/stopping.ts'
import { AUDIO } from '../../setup/jobs/jobs.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const NEVER = new AbortController().signal
const TEXT = 'Twenty characters ok'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service.close())

const query = async <T extends object>(sql: string, values: unknown[]) =>
  (await service.runtime.db.pool.query<T>(sql, values)).rows
const submitted = async (credits = 1_000n) => {
  const caller = await service.createCaller(credits)
  return { ...caller, jobId: await submitText(service.url, caller.key, 'tts', TEXT, 'aria') }
}
const rowOf = async (jobId: string) =>
  (
    await query<{ status: string; error_code: string; cause: string; attempt: number }>(
      'select status, error_code, cause, attempt from job where id = $1',
      [jobId],
    )
  )[0]
const ledgerOf = (account: string) =>
  query<{ kind: string; amount: string }>(
    'select kind::text, amount from credit_entry where account_id = $1 order by id',
    [account],
  )
const balances = async (account: string) =>
  (
    await query(
      `select a.credits, (select sum(amount) from credit_entry e where e.account_id = a.id)::bigint as ledger
     from account a where id = $1`,
      [account],
    )
  )[0]
const failing = (error: unknown) => () => ({ timeLimitSeconds: 60, perform: () => Promise.reject(error) })

describe('a job that stopping workers release', () => {
  test('may be released any number of times, and one whose workers die still ends', async () => {
    const { jobId } = await submitted()
    const abortWith = async (reason: Error) => {
      const controller = new AbortController()
      const perform = () => {
        controller.abort(reason)
        return Promise.reject(reason)
      }
      await performJob(service.runtime, jobId, controller.signal, () => ({ timeLimitSeconds: 60, perform })).catch(
        () => undefined,
      )
    }
    for (let n = 0; n < 8; n++) await abortWith(new Stopping())
    expect(await rowOf(jobId)).toMatchObject({ status: 'processing', attempt: 8 })
    for (let n = 0; n < 5; n++) await abortWith(new Error('another worker holds the job'))
    expect(await rowOf(jobId)).toMatchObject({ status: 'processing', attempt: 13 })
    await abortWith(new Error('another worker holds the job'))
    expect(await rowOf(jobId)).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
  })

  test('may be released for other reasons before servers that are unwell give it back, 20 times at most', async () => {
    const { jobId } = await submitted()
    const endWith = (reason: Error) =>
      performJob(service.runtime, jobId, NEVER, failing(reason)).then(
        () => undefined,
        (error: unknown) => error,
      )
    for (let n = 0; n < 20; n++) expect(await endWith(new NotSoon())).toBeInstanceOf(NotSoon)
    for (let n = 0; n < 20; n++) expect(await endWith(new ServerUnwell())).toBeInstanceOf(ServerUnwell)
    expect(await endWith(new ServerUnwell())).toBeUndefined()
    expect(await rowOf(jobId)).toMatchObject({ status: 'failed', error_code: 'PROVIDER_UNAVAILABLE', attempt: 41 })
  })
})

test('a job whose file the store refuses, though it takes others, is tried again for minutes before it ends', async () => {
  const { jobId } = await submitted()
  const refused = () => Promise.reject(new StoreDown('no space left on device', { fault: 'full' }))
  const delays: unknown[] = []
  for (let n = 0; n < 6; n++)
    await performJob(service.runtime, jobId, NEVER, () => ({ timeLimitSeconds: 60, perform: refused })).catch((error) =>
      delays.push(error.delaySeconds),
    )
  expect(delays).toEqual([undefined, 60, 120, 240, 480])
  expect(await rowOf(jobId)).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR', attempt: 6 })
})

test('a claim is noted before it is sent, and forgotten once its attempt has ended', async () => {
  const { jobId } = await submitted()
  const noted: unknown[] = []
  const claims: ClaimRegistry = {
    taking: (id, claim) => {
      noted.push(['taking', id])
      return claim
    },
    forget: ({ attempt }) => noted.push(['forgotten', attempt]),
    stillOwned: async () => new Set(),
  }
  const silent = failing(new JobFailure('RENDER_FAILED', 'no sound'))
  const performed = performJob({ ...service.runtime, claims }, jobId, NEVER, silent)
  // Nothing has been awaited: no look at the claims comes in between.
  expect(noted).toEqual([['taking', jobId]])
  await performed
  expect(noted).toEqual([
    ['taking', jobId],
    ['forgotten', 1],
  ])
})

describe('a job whose work fails', () => {
  test('gets its charge back once, and the balance stays the sum of the ledger', async () => {
    const { account, jobId } = await submitted()
    const perform = () =>
      performJob(service.runtime, jobId, NEVER, failing(new JobFailure('RENDER_FAILED', 'no sound')))
    await perform()
    await perform()
    expect(await rowOf(jobId)).toMatchObject({ status: 'failed', error_code: 'RENDER_FAILED', cause: 'no sound' })
    expect((await ledgerOf(account)).slice(-2)).toEqual([
      { kind: 'charge', amount: '-20' },
      { kind: 'refund', amount: '20' },
    ])
    expect(await balances(account)).toEqual({ credits: '1000', ledger: '1000' })
  })

  test('keeps no value of a row in its cause, whatever the database says', async () => {
    const { account, jobId } = await submitted()
    const quoting = await query("select 'the secret text'::int", []).catch((error: unknown) => error)
    expect(String(quoting)).toContain('the secret text')
    await performJob(service.runtime, jobId, NEVER, failing(quoting))
    const job = await rowOf(jobId)
    expect(job).toMatchObject({ error_code: 'INTERNAL_ERROR', cause: expect.stringContaining('22P02') })
    expect(job?.cause).not.toContain('secret')
    expect(await balances(account)).toEqual({ credits: '1000', ledger: '1000' })
  })

  test('for lack of credits was never started: CHARGE_FAILED, and nothing is charged', async () => {
    const { account, jobId } = await submitted(7n)
    const work = { timeLimitSeconds: 60, perform: () => Promise.reject(new Error('it was started')) }
    await performJob(service.runtime, jobId, NEVER, () => work)
    expect(await rowOf(jobId)).toMatchObject({ status: 'failed', error_code: 'CHARGE_FAILED' })
    expect((await ledgerOf(account)).map(({ kind }) => kind)).not.toContain('charge')
    expect(await balances(account)).toEqual({ credits: '7', ledger: '7' })
  })

  test('for lack of time ends as JOB_TIMEOUT with its charge back', async () => {
    const { account, jobId } = await submitted()
    const perform = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    await performJob(service.runtime, jobId, NEVER, () => ({ timeLimitSeconds: 0.05, perform }))
    expect(await rowOf(jobId)).toMatchObject({ status: 'failed', error_code: 'JOB_TIMEOUT' })
    expect(await balances(account)).toEqual({ credits: '1000', ledger: '1000' })
  })
})

describe('a claim that was taken away', () => {
  test('writes nothing: neither a result, nor a failure, nor a refund', async () => {
    const { account, jobId } = await submitted()
    const first = await claimJob(service.runtime, jobId)
    const second = await claimJob(service.runtime, jobId)
    expect([first?.attempt, second?.attempt]).toEqual([1, 2])
    expect(await completeJob(service.runtime, first!, [AUDIO])).toBe(false)
    const failure = new JobFailure('RENDER_FAILED', 'too late')
    expect(await endJob(service.runtime, { ...first!, failure })).toBe(false)
    expect(await rowOf(jobId)).toMatchObject({ status: 'processing', attempt: 2, error_code: null, cause: null })
    expect(await query('select id from artifact where job_id = $1', [jobId])).toEqual([])
    expect((await ledgerOf(account)).map(({ kind }) => kind).filter((kind) => kind !== 'grant')).toEqual(['charge'])
    expect(await completeJob(service.runtime, second!, [AUDIO])).toBe(true)
  })
})

describe('requeueLostJobs', () => {
  test('queues a job again whose queue row is gone, and no other', async () => {
    const [lost, young, queued] = await Promise.all([submitted(), submitted(), submitted()])
    const queueRows = (jobId: string) =>
      query(`select id from pgboss.job where data->>'jobId' = $1 and state = 'created'`, [jobId])
    const age = (jobId: string) =>
      query(`update job set created_at = now() - interval '1 minute' where id = $1`, [jobId])
    const lose = (jobId: string) => query(`delete from pgboss.job where data->>'jobId' = $1`, [jobId])
    await Promise.all([lose(lost.jobId), age(lost.jobId), lose(young.jobId), age(queued.jobId)])
    expect(await queueRows(lost.jobId)).toHaveLength(0)
    expect(await requeueLostJobs(service.runtime)).toBeGreaterThanOrEqual(1)
    expect(await queueRows(lost.jobId)).toHaveLength(1)
    expect(await queueRows(young.jobId)).toHaveLength(0)
    expect(await queueRows(queued.jobId)).toHaveLength(1)
    const again = await requeueLostJobs(service.runtime)
    expect([again, (await queueRows(lost.jobId)).length]).toEqual([0, 1])
  })
})
