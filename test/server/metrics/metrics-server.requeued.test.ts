import { afterAll, beforeAll, expect, test } from 'vitest'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { claimQueued } from '../../../src/queue/pgboss/fair-source.ts'
import { newId } from '../../../src/values/id.ts'
import { rerouteOrphanedJobs } from '../../../src/worker/maintenance.ts'
import { rescueDeadWorkersJobs } from '../../../src/worker/register-worker.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { scrape } from '../../setup/service/scraped.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { METRICS_PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_SECONDS: '1' } })
  key = (await service.createCaller()).key
})
afterAll(() => service.close())

const query = (text: string, values: unknown[] = []) => service.runtime.db.pool.query(text, values)
const submit = async (pool: string) => {
  await applyEndpoint(service.runtime, pool, { pool })
  return submitText(service.url, key, pool, 'Again.')
}
/** How many jobs went back to a queue, for each reason that there was. */
const requeued = async () => {
  const samples = (await scrape(service.metricsUrl)).samples('jobs_requeued_total')
  return Object.fromEntries(samples.map(({ labels, value }) => [labels.reason, value]))
}

test('jobs that go back to a queue are counted, by the reason', async () => {
  const [lost, moved, orphaned] = [await submit('lost'), await submit('moved'), await submit('orphaned')]
  await query(`delete from pgboss.job where data->>'jobId' = $1`, [lost])
  await query(`update job set created_at = now() - interval '1 hour' where id = $1`, [lost])
  expect(await requeued()).toEqual({})
  await requeueLostJobs(service.runtime)
  expect(await requeued()).toEqual({ place_lost: 1 })

  await applyEndpoint(service.runtime, 'moved', { pool: 'elsewhere' })
  await query(`update pgboss.job set name = 'voice.moved', state = 'retry' where data->>'jobId' = $1`, [moved])
  await rerouteOrphanedJobs(service.runtime)
  expect(await requeued()).toEqual({ place_lost: 1, moved: 1 })

  const workerId = newId('wrk')
  await query(`insert into worker (id, host, version, slots, in_flight, gpus) values ($1, 'gone', '1', 1, 1, '[]')`, [
    workerId,
  ])
  const claim = {
    queue: 'voice.orphaned',
    free: 1,
    after: { served: '', awaited: '', inARow: 0 },
    workerId,
    rooms: [],
  }
  expect((await claimQueued(service.runtime.db, claim)).deliveries.map(({ jobId }) => jobId)).toEqual([orphaned])
  await query(`update worker set heartbeat_at = now() - interval '1 hour' where id = $1`, [workerId])
  expect(await rescueDeadWorkersJobs(service.runtime)).toBe(1)
  expect(await requeued()).toEqual({ place_lost: 1, moved: 1, worker_lost: 1 })
})

test('a job that a worker releases when it stops is counted', async () => {
  const before = await requeued()
  const begun = Promise.withResolvers<void>()
  const hangs = standInEngines(() => {
    begun.resolve()
    return new Promise(() => undefined)
  })
  const worker = await startWorker(service.runtime, { pools: ['handed'], engines: hangs })
  const id = await submit('handed')
  await begun.promise
  await worker.stop()
  await until(async () => (await requeued()).handed_back === 1, TIMEOUT_MS, 'the job to be released')
  expect(await requeued()).toEqual({ ...before, handed_back: 1 })
  const heir = await startWorker(service.runtime, { pools: ['handed'], engines: standInEngines(() => undefined) })
  await allFinished(service.runtime, [id])
  await heir.stop()
})
