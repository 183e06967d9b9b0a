import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { jobRowClaim } from '../../src/jobs/lifecycle/claim-job.ts'
import { performJob } from '../../src/jobs/lifecycle/perform-job.ts'
import { dispatchJobs } from '../../src/queue/dispatch-jobs.ts'
import { voiceKind } from '../../src/queue/job-kind.ts'
import type { Delivery } from '../../src/queue/job-source.ts'
import { claimQueued } from '../../src/queue/pgboss/fair-source.ts'
import { registerWorker } from '../../src/worker/register-worker.ts'
import { applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const GRACE_MS = 20_000

describe('a worker that is stopping', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(() => service.close())

  const submitTo = async (pool: string) => {
    await applyEndpoint(service.runtime, pool, { pool })
    const { key } = await service.createCaller()
    return submitText(service.url, key, pool, 'Who takes me?')
  }
  const stateOf = async (jobId: string) =>
    (
      await service.runtime.db.pool.query(`select state, retry_count from pgboss.job where data->>'jobId' = $1`, [
        jobId,
      ])
    ).rows[0]

  test.each([
    { pool: 'between', rowClaim: {}, brings: 'brings' },
    { pool: 'begun', rowClaim: { rowClaim: jobRowClaim }, brings: 'has begun and charged' },
  ])('releases what a claim under way $brings, as if it had never been fetched', async ({ pool: name, rowClaim }) => {
    const kind = voiceKind(name)
    const jobId = await submitTo(name)
    const [claimed, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { pool } = service.runtime.db
    const query = async (statement: { readonly name?: string }, ...rest: unknown[]) => {
      const answer = await (pool.query as (...args: unknown[]) => Promise<unknown>).call(pool, statement, ...rest)
      if (!statement.name?.startsWith('claim_queued')) return answer
      claimed.resolve()
      await answered.promise
      return answer
    }
    const slow = { ...service.runtime.db, pool: { query } as unknown as typeof pool }
    const begun: string[] = []
    const handle = async (id: string, signal: AbortSignal, { claimed }: Delivery) => {
      const parts = { ...service.runtime, ...(claimed !== undefined && { claimed }) }
      return performJob(parts, id, signal, async () => Promise.reject(begun.push(id)))
    }
    const dispatcher = await dispatchJobs({ ...service.runtime, db: slow, kind, slots: 4, handle, ...rowClaim })
    await claimed.promise
    expect(await stateOf(jobId)).toMatchObject({ state: 'active' })
    const stopped = dispatcher.stop(GRACE_MS)
    answered.resolve()
    await stopped
    expect(begun).toEqual([])
    expect(await stateOf(jobId)).toEqual({ state: 'retry', retry_count: 0 })
    const { rows } = await pool.query('select attempt - hand_backs as counted from job where id = $1', [jobId])
    expect(rows).toEqual([{ counted: 0 }])
  })

  test('waits for a job that was delivered to it twice, the earlier one of which was stopped', async () => {
    const kind = voiceKind('again')
    const jobId = await submitTo('again')
    const signals: AbortSignal[] = []
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const handle = async (_id: string, signal: AbortSignal) => gates[signals.push(signal) - 1]?.promise
    const dispatcher = await dispatchJobs({ ...service.runtime, kind, slots: 4, handle })
    await until(() => signals.length === 1, GRACE_MS, 'the first delivery')
    // The queue does this once it has lost sight of a worker.
    await service.runtime.db.pool.query(`update pgboss.job set state = 'retry' where data->>'jobId' = $1`, [jobId])
    await until(() => signals.length === 2, GRACE_MS, 'the second delivery')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
    gates[0]?.resolve()
    // All that follows from the first one's end has happened within this turn.
    await setImmediate()
    expect(dispatcher.inFlight).toBe(1)
    const stopped = dispatcher.stop(0)
    await until(() => signals[1]?.aborted === true, GRACE_MS, 'the second to be stopped')
    gates[1]?.resolve()
    await stopped
    expect(await stateOf(jobId)).toMatchObject({ state: 'completed' })
  })

  test('leaves nothing behind that it took without knowing', async () => {
    const jobId = await submitTo('unknown')
    const registration = await registerWorker(service.runtime, {
      load: () => ({ pools: ['unknown'], slots: 1, inFlight: 0, gpus: [], server: null, away: {}, engines: {} }),
    })
    const { workerId } = service.runtime
    const claim = {
      queue: voiceKind('unknown').queue,
      free: 1,
      after: { served: '', awaited: '', inARow: 0 },
      workerId,
      rooms: [],
    }
    expect((await claimQueued(service.runtime.db, claim)).deliveries).toHaveLength(1)
    await registration.end()
    expect(await stateOf(jobId)).toMatchObject({ state: 'retry' })
    expect(await service.runtime.db.prisma.worker.count()).toBe(0)
  })
})
