import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { JobFailure } from '../../../src/jobs/job-states.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { endJob } from '../../../src/jobs/lifecycle/end-jobs.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { AUDIO } from '../../setup/jobs/jobs.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { read } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

interface Times {
  readonly waitMs: number | null
  readonly runMs: number | null
}

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => service?.close())

/** The lines about ends from now on, without writing them. */
function watchEnds(): object[] {
  const { log } = service.runtime
  const lines: object[] = []
  vi.spyOn(log, 'isLevelEnabled').mockReturnValue(true)
  vi.spyOn(log, 'info').mockImplementation((line: unknown, what?: unknown) => {
    if (what === 'a job ended') lines.push(line as object)
  })
  return lines
}

async function submitted() {
  const { key, account } = await service.createCaller()
  return { key, account, jobId: await submitText(service.url, key, 'tts', 'Timed.', 'aria') }
}

/** One that was accepted five seconds ago, and begun two seconds ago. */
async function begun() {
  const { key, jobId } = await submitted()
  const claim = (await claimJob(service.runtime, jobId))!
  const earlier = `update job set created_at = now() - interval '5 s', started_at = now() - interval '2 s' where id = $1`
  await service.runtime.db.pool.query(earlier, [jobId])
  return { key, jobId, claim }
}

const timesOf = async (key: string, id: string): Promise<Times> =>
  (await read<{ job: Times }>(service.url, key, 'query ($id: ID!) { job(jobId: $id) { waitMs runMs } }', { id })).job

test.for(['completed', 'failed'])(
  'a job that %s is logged with how long it waited and how long it ran, as its owner reads it',
  async (outcome) => {
    const { key, jobId, claim } = await begun()
    const lines = watchEnds()
    if (outcome === 'completed') await completeJob(service.runtime, claim, [AUDIO])
    else await endJob(service.runtime, { ...claim, failure: new JobFailure('RENDER_FAILED', 'not this one') })
    const { waitMs, runMs } = await timesOf(key, jobId)
    expect([waitMs, runMs]).toEqual([3000, expect.toSatisfy((ms: number) => ms >= 2000)])
    const code = outcome === 'failed' && { code: 'RENDER_FAILED' }
    expect(lines).toEqual([{ jobId, pool: 'espeak', attempt: 1, waitMs, runMs, outcome, ...code }])
  },
)

test('a job that is cancelled before it was begun is logged without such times', async () => {
  const { account, jobId } = await submitted()
  const lines = watchEnds()
  await cancelJob(service.runtime.as({ kind: 'account', accountId: account, credits: 0n }), { jobId })
  const end = { outcome: 'failed', code: 'JOB_CANCELLED', waitMs: null, runMs: null }
  expect(lines).toEqual([{ jobId, pool: 'espeak', attempt: 0, ...end }])
})
