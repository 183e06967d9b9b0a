import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { recordRelease } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

const STOPPED = { ending: 'stopped', cause: 'the worker is stopping' } as const

test('subscribers of a job learn that its worker released it, and nothing of a release that came too late', async () => {
  const accountId = await service.createAccount()
  const { db, notifier } = service.runtime
  const jobId = await insertJob(db, accountId, { status: 'processing' })
  await db.pool.query('update job set attempt = 2, started_at = created_at where id = $1', [jobId])
  const notified = vi.spyOn(notifier, 'notify')
  await recordRelease(service.runtime, { jobId, accountId, attempt: 1 }, STOPPED)
  expect(notified.mock.calls).toEqual([])
  await recordRelease(service.runtime, { jobId, accountId, attempt: 2 }, STOPPED)
  expect(notified.mock.calls).toEqual([['sonant_job', `${accountId} ${jobId}`]])
  notified.mockRestore()
  const { rows } = await db.pool.query('select hand_backs from job where id = $1', [jobId])
  expect(rows).toEqual([{ hand_backs: 1 }])
})

test('a release counts also where the end of its attempt was noted before, which stays as it was', async () => {
  const accountId = await service.createAccount()
  const { db } = service.runtime
  const jobId = await insertJob(db, accountId, { status: 'processing' })
  await db.pool.query('update job set attempt = 1, started_at = created_at where id = $1', [jobId])
  await db.pool.query(
    `insert into job_attempt (job_id, attempt, started_at, ended_at, ending) values ($1, 1, now(), now(), 'worker_lost')`,
    [jobId],
  )
  await recordRelease(service.runtime, { jobId, accountId, attempt: 1 }, STOPPED)
  const { rows } = await db.pool.query(
    'select hand_backs, ending from job join job_attempt on job_id = id where id = $1',
    [jobId],
  )
  expect(rows).toEqual([{ hand_backs: 1, ending: 'worker_lost' }])
})
