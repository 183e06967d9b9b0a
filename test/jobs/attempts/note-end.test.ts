import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordAttemptEnd } from '../../../src/jobs/attempts/record-attempt-end.ts'
import { claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { performJob } from '../../../src/jobs/lifecycle/perform-job.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { CutOff, NotSoon, ServerLost, Stopping } from '../../../src/queue/stopping.ts'
import { AUDIO } from '../../setup/jobs/jobs.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const NEVER = new AbortController().signal
const KEPT = 50

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

interface Seen {
  readonly number: number
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly outcome: string | null
  readonly error: string | null
}

const submitted = async () => {
  const { key } = await service.createCaller()
  return { key, jobId: await submitText(service.url, key, 'tts', 'Again and again.', 'aria') }
}
const historyOf = async (key: string, jobId: string): Promise<readonly Seen[]> => {
  const document = `query ($id: ID!) { job(jobId: $id) { attemptHistory { number startedAt endedAt outcome error } } }`
  return (await read<{ job: { attemptHistory: Seen[] } }>(service.url, key, document, { id: jobId })).job.attemptHistory
}
const toldOf = async (key: string, jobId: string) =>
  (await historyOf(key, jobId)).map(({ number, outcome, error }) => [number, outcome, error])
const rowsOf = async (jobId: string) =>
  (
    await service.runtime.db.pool.query<{ attempt: number; ending: string | null; worker: string; cause: string }>(
      'select attempt, ending, worker, cause from job_attempt where job_id = $1 order by attempt',
      [jobId],
    )
  ).rows
/** One attempt, which is stopped for this reason. */
const stopped = async (jobId: string, reason: Error) => {
  const controller = new AbortController()
  const perform = () => {
    controller.abort(reason)
    return Promise.reject(reason)
  }
  const attempt = performJob(service.runtime, jobId, controller.signal, () => ({ timeLimitSeconds: 60, perform }))
  await expect(attempt).rejects.toBe(reason)
}
const completed = async (jobId: string) => {
  const claim = await claimJob(service.runtime, jobId)
  expect(await completeJob(service.runtime, claim!, [{ ...AUDIO, storageKey: `${jobId}/audio.wav` }])).toBe(true)
}

describe('how an attempt ended that did not end its job', () => {
  test('is told with its times, and the attempts after it, until the job is completed', async () => {
    const { key, jobId } = await submitted()
    await stopped(jobId, new Stopping())
    expect(await toldOf(key, jobId)).toEqual([[1, 'RELEASED', 'Its worker was stopped.']])
    await stopped(jobId, new ServerLost('the server ended: CUDA error at 10.0.0.7'))
    await completed(jobId)
    expect(await toldOf(key, jobId)).toEqual([
      [1, 'RELEASED', 'Its worker was stopped.'],
      [2, 'FAILED', 'The speech server of its worker ended.'],
      [3, 'COMPLETED', null],
    ])
    const times = (await historyOf(key, jobId)).flatMap(({ startedAt, endedAt }) => [startedAt!, endedAt!])
    expect(times).toEqual(times.map((time) => new Date(time).toISOString()).toSorted())
    expect(await rowsOf(jobId)).toMatchObject([
      { attempt: 1, worker: service.runtime.workerId, cause: 'the worker is stopping' },
      { attempt: 2, worker: service.runtime.workerId, cause: 'the server ended: CUDA error at 10.0.0.7' },
      { attempt: 3, ending: null, cause: null },
    ])
  })

  test('is told of every reason that a worker gives a job back for', async () => {
    const { key, jobId } = await submitted()
    for (const reason of [new NotSoon(), new CutOff(), new Error('another worker holds the job')])
      await stopped(jobId, reason)
    const failing = performJob(service.runtime, jobId, NEVER, () => Promise.reject(new Error('no such file: /etc/x')))
    await expect(failing).rejects.toThrow('could not be looked up')
    const away = Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    })
    await expect(performJob(service.runtime, jobId, NEVER, () => Promise.reject(away))).rejects.toThrow()
    expect(await toldOf(key, jobId)).toEqual([
      [1, 'RELEASED', 'There was no capacity for it yet.'],
      [2, 'RELEASED', 'Its worker was cut off from the database.'],
      [3, 'LOST', 'Another worker was given the job.'],
      [4, 'FAILED', 'What it asks for could not be looked up.'],
      [5, 'RELEASED', 'The database was away.'],
    ])
    const causes = (await rowsOf(jobId)).map(({ cause }) => cause)
    expect(causes.slice(2)).toEqual([
      'another worker holds the job',
      expect.stringContaining('no such file: /etc/x'),
      expect.stringContaining('10.0.0.7:5432'),
    ])
  })

  test('is noted once: neither what comes later nor a worker that was replaced changes it', async () => {
    const { key, jobId } = await submitted()
    const claim = await claimJob(service.runtime, jobId)
    const mine = { ...claim!, workerId: 'wrk_first' }
    expect(await recordAttemptEnd(service.runtime, mine, { ending: 'server_lost', cause: 'first' })).toBe(true)
    expect(await recordAttemptEnd(service.runtime, mine, { ending: 'replaced', cause: 'second' })).toBe(false)
    await claimJob(service.runtime, jobId)
    expect(await recordAttemptEnd(service.runtime, mine, { ending: 'replaced', cause: 'third' })).toBe(false)
    expect(await rowsOf(jobId)).toEqual([
      { attempt: 1, ending: 'server_lost', worker: 'wrk_first', cause: 'first' },
      { attempt: 2, ending: null, worker: null, cause: null },
    ])
    expect(await toldOf(key, jobId)).toEqual([
      [1, 'FAILED', 'The speech server of its worker ended.'],
      [2, null, null],
    ])
  })

  test('is not known of a worker that said nothing, once another one has the job', async () => {
    const { key, jobId } = await submitted()
    await claimJob(service.runtime, jobId)
    await claimJob(service.runtime, jobId)
    expect(await toldOf(key, jobId)).toEqual([
      [1, 'LOST', 'Its worker did not say how it ended.'],
      [2, null, null],
    ])
  })

  test('is told of a job whose place in the queue was lost', async () => {
    const { key, jobId } = await submitted()
    const { pool } = service.runtime.db
    await claimJob(service.runtime, jobId)
    await pool.query(`delete from pgboss.job where data->>'jobId' = $1`, [jobId])
    await pool.query(`update job set created_at = now() - interval '1 minute' where id = $1`, [jobId])
    await requeueLostJobs(service.runtime)
    expect(await toldOf(key, jobId)).toEqual([[1, 'LOST', 'Its place in the queue was lost.']])
  })

  test('is noted of no job that ends with its first attempt', async () => {
    const [done, failed] = [await submitted(), await submitted()]
    await completed(done.jobId)
    const failing = () => ({ timeLimitSeconds: 60, perform: () => Promise.reject(new Error('no sound')) })
    await performJob(service.runtime, failed.jobId, NEVER, failing)
    expect([await rowsOf(done.jobId), await rowsOf(failed.jobId)]).toEqual([[], []])
    expect(await toldOf(done.key, done.jobId)).toEqual([[1, 'COMPLETED', null]])
    expect(await toldOf(failed.key, failed.jobId)).toEqual([
      [1, 'FAILED', expect.stringContaining('Something went wrong on our side')],
    ])
  })

  test(`is kept of the newest ${KEPT} attempts`, async () => {
    const { key, jobId } = await submitted()
    for (let n = 0; n < KEPT + 3; n++) await claimJob(service.runtime, jobId)
    const numbers = (await historyOf(key, jobId)).map(({ number }) => number)
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([KEPT, 4, KEPT + 3])
    expect(await rowsOf(jobId)).toHaveLength(KEPT)
  })
})
