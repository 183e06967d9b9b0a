import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { claimQueued } from '../../../src/queue/pgboss/fair-source.ts'
import { newId } from '../../../src/values/id.ts'
import { rescueDeadWorkersJobs } from '../../../src/worker/register-worker.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

const query = (text: string, values: unknown[] = []) => service.runtime.db.pool.query(text, values)
/** A job that a worker of another process has taken out of its queue. */
async function taken(pool: string) {
  const { runtime, url } = service
  await applyEndpoint(runtime, pool, { pool })
  const { key, account } = await service.createCaller()
  const jobId = await submitText(url, key, pool, 'Taken.')
  const workerId = newId('wrk')
  await query(`insert into worker (id, host, version, slots, in_flight, gpus) values ($1, 'gone', '1', 1, 1, '[]')`, [
    workerId,
  ])
  const claim = {
    queue: `voice.${pool}`,
    free: 1,
    after: { served: '', awaited: '', inARow: 0 },
    workerId,
    rooms: [],
  }
  expect((await claimQueued(runtime.db, claim)).deliveries).toHaveLength(1)
  return { jobId, workerId, account }
}
const die = (workerId: string) =>
  query(`update worker set heartbeat_at = now() - interval '1 hour' where id = $1`, [workerId])
const noted = async (jobId: string) =>
  (
    await query(
      'select attempt, ending, worker, started_at is not null and ended_at >= started_at as timed from job_attempt where job_id = $1',
      [jobId],
    )
  ).rows

test('the attempt of a dead worker is lost from the moment that its job is rescued, once, and subscribers learn of it', async () => {
  const { jobId, workerId, account } = await taken('dead')
  await claimJob(service.runtime, jobId)
  await die(workerId)
  const notified = vi.spyOn(service.runtime.notifier, 'notify')
  expect(await rescueDeadWorkersJobs(service.runtime)).toBe(1)
  expect(notified.mock.calls).toContainEqual(['sonant_job', `${account} ${jobId}`])
  notified.mockRestore()
  const lost = [{ attempt: 1, ending: 'worker_lost', worker: workerId, timed: true }]
  expect(await noted(jobId)).toEqual(lost)
  await query(`update pgboss.job_common set state = 'active' where data->>'jobId' = $1`, [jobId])
  expect(await rescueDeadWorkersJobs(service.runtime)).toBe(1)
  expect(await noted(jobId)).toEqual(lost)
})

test('no attempt is noted of a job that a dead worker had not begun', async () => {
  const { jobId, workerId } = await taken('unbegun')
  await die(workerId)
  expect(await rescueDeadWorkersJobs(service.runtime)).toBeGreaterThan(0)
  expect(await noted(jobId)).toEqual([])
})

test('an attempt that a worker has begun without knowing it is released with the worker', async () => {
  const { jobId, workerId } = await taken('unknown')
  await claimJob(service.runtime, jobId)
  await service.runtime.queue.releaseWorker(workerId)
  expect(await noted(jobId)).toEqual([{ attempt: 1, ending: 'stopped', worker: workerId, timed: true }])
})

test('a rescue waits for no job that another transaction holds, and notes what it can', async () => {
  const { jobId, workerId } = await taken('locked')
  await claimJob(service.runtime, jobId)
  await die(workerId)
  const holder = await service.runtime.db.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from job where id = $1 for update', [jobId])
    expect(await rescueDeadWorkersJobs(service.runtime)).toBeGreaterThan(0)
  } finally {
    await holder.query('rollback')
    holder.release()
  }
  expect(await noted(jobId)).toEqual([])
  await claimJob(service.runtime, jobId)
  expect(await noted(jobId)).toMatchObject([{ attempt: 1, ending: 'unknown' }, { attempt: 2 }])
})
