import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { inTransaction } from '../../../src/db/database.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { voiceKind } from '../../../src/queue/job-kind.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { afterStatement } from '../../setup/postgres/after-statement.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 60_000
const POOL = 'moving'
/** The one that reads which jobs are unfinished. */
const SEARCH = /lost as materialized.*from job\s+where status in \('queued', 'processing'\)/s
const READS_QUEUE = /from pgboss\.job/
/** More than one page of lost jobs. */
const LOST = 1_001
const WAITING = 3000

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent', SHUTDOWN_SECONDS: '1' } })
  await applyEndpoint(service.runtime, POOL, { pool: POOL })
})
beforeEach(async () => {
  key = (await service.createCaller()).key
})
afterEach(async () => {
  await query('delete from pgboss.job')
  await query(
    `update job set status = 'failed', completed_at = now(), error_code = 'QUEUE_FAILED' where completed_at is null`,
  )
})
afterAll(() => service?.close())

const query = async <T extends object>(sql: string, values: unknown[] = []) =>
  (await service.runtime.db.pool.query<T>(sql, values)).rows
/** A job that is old enough to be rescued. */
const submit = async () => {
  const id = await submitText(service.url, key, POOL, 'Where is it?')
  await query(`update job set created_at = now() - interval '1 minute' where id = $1`, [id])
  return id
}
const lose = (id: string) => query(`delete from pgboss.job where data->>'jobId' = $1`, [id])
const submitLost = async () => {
  const id = await submit()
  await lose(id)
  return id
}
const queueRows = (id: string) => query(`select state from pgboss.job where data->>'jobId' = $1`, [id])
const cancel = (id: string) => cancelJob(service.runtime.as({ kind: 'system' }), { jobId: id })

/**
 * Rescues, while `then` happens right behind the first statement with this text. Returns how many it says it has rescued. Where a worker just
 * does the same, as it does once it starts, nothing is looked for: then once more.
 */
async function rescueWhile(text: RegExp, then: () => Promise<unknown>): Promise<number> {
  const stepped = afterStatement(service.runtime.db, text, then)
  const rescue = async () => {
    const rescued = await requeueLostJobs({ ...service.runtime, db: stepped.db })
    return stepped.count(text) > 0 ? { rescued } : undefined
  }
  return (await until(rescue, TIMEOUT_MS, 'no other process to rescue'))!.rescued
}

/** Like one that waits, each with its place in the queue. */
const multiply = (id: string, count: number) =>
  query(
    `with made as (
       insert into job select (jsonb_populate_record(job, jsonb_build_object('id', overlay(id placing to_char(n, 'FM00000') from length(id) - 4)))).*
       from job, generate_series(10000, 9999 + $2::int) n where id = $1 returning id)
     insert into pgboss.job select (jsonb_populate_record(q, jsonb_build_object('id', gen_random_uuid(), 'data', jsonb_build_object('jobId', made.id)))).*
     from made, pgboss.job q where q.data->>'jobId' = $1`,
    [id, count],
  )

describe('requeueLostJobs', () => {
  test('neither counts nor queues a job that is completed while it looks', async () => {
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const engines = standInEngines(() => {
      begun.resolve()
      return released.promise
    })
    const worker = await startWorker(service.runtime, { pools: [POOL], engines })
    onTestFinished(() => worker.stop())
    const id = await submit()
    await begun.promise
    const rescued = await rescueWhile(SEARCH, async () => {
      released.resolve()
      await allFinished(service.runtime, [id])
    })
    expect([rescued, await queueRows(id)]).toEqual([0, []])
    expect(await query('select status from job where id = $1', [id])).toEqual([{ status: 'completed' }])
  })

  test('neither counts nor queues a job that is cancelled while it looks, with its place or without', async () => {
    const [waiting, lost] = [await submit(), await submitLost()]
    const rescued = await rescueWhile(SEARCH, () => Promise.all([waiting, lost].map(cancel)))
    expect([rescued, await queueRows(waiting), await queueRows(lost)]).toEqual([0, [], []])
  })

  test('neither counts nor queues one that is submitted while it looks', async () => {
    await submit()
    let id = ''
    const rescued = await rescueWhile(/lost as materialized|from pgboss\.job/, async () => {
      id = await submit()
    })
    expect([rescued, await queueRows(id)]).toEqual([0, [{ state: 'created' }]])
  })

  test('queues no job twice that has its place again since it was found', async () => {
    const id = await submitLost()
    const again = () =>
      inTransaction(service.runtime.db, (tx) => service.runtime.queue.enqueue(tx, voiceKind(POOL), [{ id }]))
    expect([await rescueWhile(SEARCH, again), await queueRows(id)]).toEqual([0, [{ state: 'created' }]])
  })

  test('waits for no job that another transaction ends, and queues it again where that rolls back', async () => {
    const id = await submitLost()
    const other = await service.runtime.db.pool.connect()
    try {
      await other.query(BEGIN_HELD)
      await other.query(`update job set attempt = attempt where id = $1`, [id])
      expect([await requeueLostJobs(service.runtime), await queueRows(id)]).toEqual([0, []])
    } finally {
      await other.query('rollback')
      other.release()
    }
    expect([await requeueLostJobs(service.runtime), await queueRows(id)]).toEqual([1, [{ state: 'created' }]])
  })

  test('compares a backlog with the queue once, and queues any number of lost jobs again', async () => {
    const id = await submit()
    await multiply(id, WAITING)
    const none = afterStatement(service.runtime.db, READS_QUEUE, async () => undefined)
    expect(await requeueLostJobs({ ...service.runtime, db: none.db })).toBe(0)
    expect(none.count(READS_QUEUE)).toBe(1)
    await query(
      `delete from pgboss.job where data->>'jobId' in (select data->>'jobId' from pgboss.job order by 1 desc limit ${LOST})`,
    )
    expect(await requeueLostJobs(service.runtime)).toBe(LOST)
    expect(
      await query(`select count(*)::int as rows, count(distinct data->>'jobId')::int as jobs from pgboss.job`),
    ).toEqual([{ rows: WAITING + 1, jobs: WAITING + 1 }])
  })
})
