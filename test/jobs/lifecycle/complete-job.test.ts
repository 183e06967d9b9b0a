import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { JobFailure } from '../../../src/jobs/job-states.ts'
import { claimJob } from '../../../src/jobs/lifecycle/claim-job.ts'
import { completeJob } from '../../../src/jobs/lifecycle/complete-job.ts'
import { performJob } from '../../../src/jobs/lifecycle/perform-job.ts'
import { AUDIO } from '../../setup/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/runtime.ts'
import { openSocketClient } from '../../setup/subscriber.ts'
import { submitText } from '../../setup/voice-jobs.ts'

/** As the driver says it, so that the write is repeated. */
const lost = () => new Error('Connection terminated unexpectedly')

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

/** The next statement or transaction that does this is committed, and its answer lost. */
function loseAnswer(isIt: (text: string) => boolean): void {
  const { pool } = service.runtime.db
  const textOf = (statement: unknown): string =>
    typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '')
  const losing = (target: { query: typeof pool.query }) => {
    const query = target.query.bind(target) as (...args: unknown[]) => Promise<unknown>
    vi.spyOn(target, 'query').mockImplementation((async (...args: unknown[]) => {
      const answer = await query(...args)
      if (!isIt(textOf(args[0]))) return answer
      vi.restoreAllMocks()
      throw lost()
    }) as never)
  }
  losing(pool)
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => Promise<{ query: typeof pool.query }>
  vi.spyOn(pool, 'connect').mockImplementation((async (...args: unknown[]) => {
    const client = await connect(...args)
    if (args.length === 0) losing(client)
    return client
  }) as never)
}

async function watched() {
  const { key } = await service.createCaller()
  const jobId = await submitText(service.url, key, 'tts', 'Said once.', 'aria')
  const client = openSocketClient(service.url, key)
  const heard = client.subscribe<{ jobUpdated: { status: string } }>(
    'subscription ($id: ID!) { jobUpdated(id: $id) { status } }',
    { id: jobId },
  )
  await heard.waitFor(({ jobUpdated }) => jobUpdated.status === 'QUEUED')
  const hears = (status: string) => heard.waitFor(({ jobUpdated }) => jobUpdated.status === status)
  return { jobId, hears, close: () => client.dispose() }
}

test('a subscriber hears of a completion whose answer was lost', async () => {
  const { jobId, hears, close } = await watched()
  const claim = await claimJob(service.runtime, jobId)
  // What the claim has announced is heard: nothing else tells of the end.
  await hears('PROCESSING')
  loseAnswer((text) => text.includes('update job') && text.includes('completed'))
  expect(await completeJob(service.runtime, claim!, [AUDIO])).toBe('completed')
  await hears('COMPLETED')
  await close()
})

test('and of a failure whose answer was lost', async () => {
  const { jobId, hears, close } = await watched()
  const perform = async () => {
    await hears('PROCESSING')
    loseAnswer((text) => text === 'commit')
    return Promise.reject(new JobFailure('RENDER_FAILED', 'not this one'))
  }
  await performJob(service.runtime, jobId, new AbortController().signal, () => ({ timeLimitSeconds: 60, perform }))
  await hears('FAILED')
  await close()
})
