import { afterAll, beforeAll, expect, test } from 'vitest'
import { JobFailure } from '../../../src/jobs/job-states.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { completeJob } from '../../../src/jobs/lifecycle/complete-job.ts'
import { performJob } from '../../../src/jobs/lifecycle/perform-job.ts'
import { AUDIO } from '../../setup/jobs.ts'
import { loseAnswer } from '../../setup/lost-answer.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'
import { openSocketClient } from '../../setup/subscriber.ts'
import { submitText } from '../../setup/voice-jobs.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

async function watched() {
  const { key, account } = await service.createCaller()
  const jobId = await submitText(service.url, key, 'tts', 'Said once.', 'aria')
  const client = openSocketClient(service.url, key)
  const heard = client.subscribe<{ jobUpdated: { status: string } }>(
    'subscription ($id: ID!) { jobUpdated(id: $id) { status } }',
    { id: jobId },
  )
  await heard.waitFor(({ jobUpdated }) => jobUpdated.status === 'QUEUED')
  const hears = (status: string) => heard.waitFor(({ jobUpdated }) => jobUpdated.status === status)
  return { account, jobId, hears, close: () => client.dispose() }
}

test('a subscriber hears of a completion whose answer was lost', async () => {
  const { jobId, hears, close } = await watched()
  const claim = await claimJob(service.runtime, jobId)
  // What the claim has announced is heard: nothing else tells of the end.
  await hears('PROCESSING')
  loseAnswer(service.runtime, (text) => text.includes('update job') && text.includes('completed'))
  expect(await completeJob(service.runtime, claim!, [AUDIO])).toBe('completed')
  await hears('COMPLETED')
  await close()
})

test('and of a failure whose answer was lost', async () => {
  const { jobId, hears, close } = await watched()
  const perform = async () => {
    await hears('PROCESSING')
    loseAnswer(service.runtime, (text) => text === 'commit')
    return Promise.reject(new JobFailure('RENDER_FAILED', 'not this one'))
  }
  await performJob(service.runtime, jobId, new AbortController().signal, () => ({ timeLimitSeconds: 60, perform }))
  await hears('FAILED')
  await close()
})

test('and of a cancellation whose answer was lost, which is no error', async () => {
  const { account, jobId, hears, close } = await watched()
  const caller = service.runtime.as({ kind: 'account', accountId: account, credits: 0n })
  loseAnswer(service.runtime, (text) => text === 'commit')
  expect(await cancelJob(caller, { jobId })).toMatchObject({ id: jobId, status: 'failed' })
  await hears('FAILED')
  await close()
})
