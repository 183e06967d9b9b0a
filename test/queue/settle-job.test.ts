import { expect, test, vi } from 'vitest'
import type { Delivery } from '../../src/queue/job-source.ts'
import { type RunningJob, Settlement } from '../../src/queue/running-jobs.ts'
import { NotSoon } from '../../src/queue/stopping.ts'
import { openLog } from '../../src/values/log.ts'

const DELIVERY: Delivery = { id: 'd', retryCount: 0, jobId: 'job_a' }

/** The outcome of a job that must not begin soon and whose release fails. */
async function outcomeOf(failure: Error) {
  const settler = { complete: vi.fn(), nack: vi.fn(async () => undefined) }
  const queue = { release: vi.fn(() => Promise.reject(failure)), wake: vi.fn() }
  const options = {
    queue,
    settler,
    kind: { queue: 'q' },
    workerId: 'w',
    log: openLog('silent'),
    isStopping: () => false,
  }
  const settlement = new Settlement(options as unknown as ConstructorParameters<typeof Settlement>[0])
  const job = { delivery: DELIVERY, cancelled: false } as RunningJob
  await settlement.settle(job, () => Promise.reject(new NotSoon()))
  return { nacked: settler.nack.mock.calls.length, completed: settler.complete.mock.calls.length }
}

test('a job whose release may have been lost on its way is left to its heartbeat: it may be another worker’s by now', async () => {
  const lost = Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' })
  expect(await outcomeOf(lost)).toEqual({ nacked: 0, completed: 0 })
})

test('a job that PostgreSQL refuses to release goes back as one that failed', async () => {
  expect(await outcomeOf(Object.assign(new Error('refused'), { code: '42501' }))).toEqual({ nacked: 1, completed: 0 })
})
