import { expect, test } from 'vitest'
import type { Delivery } from '../../src/queue/job-source.ts'
import { type RunningJob, RunningJobs, type Settler } from '../../src/queue/running-jobs.ts'
import { openLog } from '../../src/values/log.ts'

const DELIVERY: Delivery = { id: 'd', retryCount: 0, jobId: 'job_a' }

const running = (): RunningJob => ({
  delivery: DELIVERY,
  controller: new AbortController(),
  ticket: undefined,
  done: Promise.resolve(),
  cancelled: false,
  isParked: false,
  isHeard: false,
})

/** Jobs of a queue that counts every delivery as this worker's, and whose claims are looked at by `stillOwned`. */
function open(stillOwned: () => Promise<ReadonlySet<string>>) {
  const touch = async (deliveries: readonly Delivery[]) => new Set(deliveries.map(({ id }) => id))
  const settler = { touch } as Partial<Settler> as Settler
  return new RunningJobs({ log: openLog('silent'), settler, stillOwned })
}

const stateOf = ({ controller, cancelled }: RunningJob) => ({ stopped: controller.signal.aborted, cancelled })

test('a job that another worker has overtaken is stopped for good', async () => {
  const jobs = open(async () => new Set())
  const job = running()
  jobs.byDelivery.set(DELIVERY.id, job)
  await jobs.heartbeat()
  expect(stateOf(job)).toEqual({ stopped: true, cancelled: true })
})

test('a notification that a job was cancelled stops it only if its row says so, too', async () => {
  for (const isLost of [false, true]) {
    const jobs = open(async () => new Set(isLost ? [] : [DELIVERY.jobId]))
    const job = running()
    jobs.byDelivery.set(DELIVERY.id, job)
    await jobs.cancel(DELIVERY.jobId)
    expect(stateOf(job)).toEqual({ stopped: isLost, cancelled: isLost })
  }
})

test('a job that was released and claimed here again, while its earlier claim was looked at, goes on', async () => {
  const { promise: looked, resolve: answer } = Promise.withResolvers<ReadonlySet<string>>()
  const asked = Promise.withResolvers<void>()
  const jobs = open(() => {
    asked.resolve()
    return looked
  })
  const [earlier, again] = [running(), running()]
  jobs.byDelivery.set(DELIVERY.id, earlier)
  const beat = jobs.heartbeat()
  await asked.promise
  jobs.byDelivery.set(DELIVERY.id, again)
  // The row has the attempt of the new claim by now.
  answer(new Set())
  await beat
  expect(stateOf(again)).toEqual({ stopped: false, cancelled: false })
})
