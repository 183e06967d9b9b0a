import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { JobFailure } from '../../../src/jobs/job-states.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { performJob } from '../../../src/jobs/lifecycle/perform-job.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { parseExposition } from '../../setup/checks/exposition.ts'
import { call } from '../../setup/http.ts'
import { AUDIO } from '../../setup/jobs/jobs.ts'
import { submitText } from '../../setup/jobs/voice-jobs.ts'
import { loseAnswer, lost } from '../../setup/postgres/lost-answer.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'

const TEXT = 'Said once.'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent', METRICS_PORT: '0' } })
})
afterAll(() => service?.close())

/** How many jobs have ended, and credits gone back, as the service has measured it. */
async function measured() {
  const families = parseExposition((await call(`${service.metricsUrl}/metrics`)).text)
  const sum = (name: string, label: string, is: string) =>
    (families.get(`sonant_${name}`)?.samples ?? [])
      .filter(({ labels }) => labels[label] === is)
      .reduce((total, { value }) => total + value, 0)
  return {
    completed: sum('jobs_finished_total', 'outcome', 'completed'),
    failed: sum('jobs_finished_total', 'outcome', 'failed'),
    refunded: sum('credits_total', 'kind', 'refund'),
  }
}

async function watched() {
  const { key, account } = await service.createCaller()
  const jobId = await submitText(service.url, key, 'tts', TEXT, 'aria')
  const client = openSocketClient(service.url, key)
  const heard = client.subscribe<{ jobUpdated: { status: string } }>(
    'subscription ($id: ID!) { jobUpdated(id: $id) { status } }',
    { id: jobId },
  )
  await heard.waitFor(({ jobUpdated }) => jobUpdated.status === 'QUEUED')
  const hears = (status: string) => heard.waitFor(({ jobUpdated }) => jobUpdated.status === status)
  const before = await measured()
  const ends = async () => {
    const now = await measured()
    return Object.fromEntries(
      Object.entries(now).map(([name, value]) => [name, value - before[name as keyof typeof now]]),
    )
  }
  return { account, jobId, hears, ends, close: () => client.dispose() }
}

test('a completion whose answer was lost is announced and measured once', async () => {
  const { jobId, hears, ends, close } = await watched()
  const claim = await claimJob(service.runtime, jobId)
  // The subscriber hears the claim's announcement; nothing else reports the end.
  await hears('PROCESSING')
  loseAnswer(service.runtime, (text) => text.includes('update job') && text.includes('completed'))
  expect(await completeJob(service.runtime, claim!, [AUDIO])).toBe(true)
  await hears('COMPLETED')
  expect(await ends()).toEqual({ completed: 1, failed: 0, refunded: 0 })
  await close()
})

test('and so is a failure, with the credits that went back', async () => {
  const { jobId, hears, ends, close } = await watched()
  const perform = async () => {
    await hears('PROCESSING')
    loseAnswer(service.runtime, (text) => text === 'commit')
    return Promise.reject(new JobFailure('RENDER_FAILED', 'not this one'))
  }
  await performJob(service.runtime, jobId, new AbortController().signal, () => ({ timeLimitSeconds: 60, perform }))
  await hears('FAILED')
  expect(await ends()).toEqual({ completed: 0, failed: 1, refunded: TEXT.length })
  await close()
})

test('and a cancellation, which is no error; repeated while the database is away it is one, and nothing is announced again', async () => {
  const { account, jobId, hears, ends, close } = await watched()
  await claimJob(service.runtime, jobId)
  await hears('PROCESSING')
  const caller = service.runtime.as({ kind: 'account', accountId: account, credits: 0n })
  loseAnswer(service.runtime, (text) => text === 'commit')
  expect(await cancelJob(caller, { jobId })).toMatchObject({ id: jobId, status: 'failed' })
  await hears('FAILED')
  const once = { completed: 0, failed: 1, refunded: TEXT.length }
  expect(await ends()).toEqual(once)
  const { pool } = service.runtime.db
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown
  // Transactions are; what the pool asks by itself calls back.
  const refuse = (...args: unknown[]) => (args.length === 0 ? Promise.reject(lost()) : connect(...args))
  const refused = vi.spyOn(pool, 'connect').mockImplementation(refuse as never)
  await expect(cancelJob(caller, { jobId })).rejects.toThrow(lost())
  expect(refused).toHaveBeenCalledWith()
  vi.restoreAllMocks()
  expect(await ends()).toEqual(once)
  await close()
})
