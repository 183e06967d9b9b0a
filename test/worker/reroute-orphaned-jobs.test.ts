import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteEndpoint } from '../../src/catalog/change-catalog.ts'
import { claimJob } from '../../src/jobs/lifecycle/claim-job.ts'
import { failOrphanedJobs, requeueLostJobs } from '../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { claimQueued } from '../../src/queue/pgboss/fair-source.ts'
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts'
import { openLog } from '../../src/values/log.ts'
import { rerouteOrphanedJobs } from '../../src/worker/maintenance.ts'
import { startWorker } from '../../src/worker/start-worker.ts'
import { audit } from '../setup/audit/audit.ts'
import { allFinished, applyEndpoint, readJob, submitText } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { standInEngines } from '../setup/speech/stand-in-engine.ts'

const LONGEST_TIME_LIMIT_SECONDS = 86_400
const engines = standInEngines(() => undefined)

describe('a job that waits', () => {
  let service: TestRuntime
  beforeAll(async () => {
    service = await startTestRuntime()
  })
  afterAll(() => service.close())
  const query = async <T extends object>(text: string, values: unknown[] = []) =>
    (await service.runtime.db.pool.query<T>(text, values)).rows

  test('follows its endpoint into another pool, whose workers serve no other', async () => {
    const { key } = await service.createCaller()
    await applyEndpoint(service.runtime, 'renamed', { pool: 'before' })
    const id = await submitText(service.url, key, 'renamed', 'Where am I?')
    await applyEndpoint(service.runtime, 'renamed', { pool: 'after' })
    const worker = await startWorker(service.runtime, { pools: ['after'], engines })
    await allFinished(service.runtime, [id])
    await worker.stop()
    expect(await readJob(service.url, key, id)).toMatchObject({ status: 'completed' })
  })

  test('is brought to the pool of its endpoint where it was released to one that no endpoint names any more', async () => {
    const { key } = await service.createCaller()
    await applyEndpoint(service.runtime, 'strayed', { pool: 'gone' })
    await applyEndpoint(service.runtime, 'strayed', { pool: 'here' })
    const id = await submitText(service.url, key, 'strayed', 'Who will find me?')
    await query(`update pgboss.job set name = 'voice.gone', state = 'retry' where data->>'jobId' = $1`, [id])
    expect(await rerouteOrphanedJobs(service.runtime)).toBe(1)
    expect(await rerouteOrphanedJobs(service.runtime)).toBe(0)
    expect(await query(`select name from pgboss.job where data->>'jobId' = $1`, [id])).toEqual([{ name: 'voice.here' }])
  })

  test('fails once its endpoint is deleted, also in a pool that no worker serves: without a charge, or with its refund', async () => {
    const { account, key } = await service.createCaller(1000n)
    await applyEndpoint(service.runtime, 'deserted', { pool: 'deserted' })
    await applyEndpoint(service.runtime, 'beside', { pool: 'deserted' })
    const ids = await Promise.all(
      ['Nobody will come.', 'Nobody came again.'].map((text) => submitText(service.url, key, 'deserted', text)),
    )
    const other = await submitText(service.url, key, 'beside', 'I can wait.')
    expect(await failOrphanedJobs(service.runtime)).toBe(0)
    // The second one was taken, charged and released.
    expect(await claimJob(service.runtime, ids[1]!)).not.toBeNull()
    await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'deserted' })
    expect(await failOrphanedJobs(service.runtime)).toBe(2)
    for (const id of ids) {
      expect(await readJob(service.url, key, id)).toMatchObject({ status: 'failed', error_code: 'RENDER_FAILED' })
    }
    expect(await readJob(service.url, key, other)).toMatchObject({ status: 'queued' })
    expect(await query('select credits from account where id = $1', [account])).toEqual([{ credits: '1000' }])
    expect(await query(`select from pgboss.job where data->>'jobId' = any($1)`, [ids])).toEqual([])
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('is sent home by a worker that took it just when its endpoint left for another pool', async () => {
    const { key } = await service.createCaller()
    for (const slug of ['stays', 'leaves']) await applyEndpoint(service.runtime, slug, { pool: 'left' })
    await service.runtime.queue.prepare({ queue: 'voice.left' })
    await applyEndpoint(service.runtime, 'leaves', { pool: 'entered', base_url: 'http://127.0.0.1:3' })
    const id = await submitText(service.url, key, 'leaves', 'Take me home.')
    const place = () => query(`select name, group_tier, state from pgboss.job where data->>'jobId' = $1`, [id])
    await query(`update pgboss.job set name = 'voice.left', group_tier = 'espeak' where data->>'jobId' = $1`, [id])
    const worker = await startWorker(service.runtime, { pools: ['left'], engines })
    const home = { name: 'voice.entered', group_tier: 'http://127.0.0.1:3', state: 'retry' }
    await expect.poll(place).toEqual([home])
    await worker.stop()
    const heir = await startWorker(service.runtime, { pools: ['entered'], engines })
    await allFinished(service.runtime, [id])
    await heir.stop()
    expect(await query('select status, attempt, hand_backs from job where id = $1', [id])).toEqual([
      { status: 'completed', attempt: 2, hand_backs: 1 },
    ])
    expect(await audit(service.runtime, [id])).toEqual([])
  })

  test('is served although many accounts before it have only jobs for later', async () => {
    const { key } = await service.createCaller()
    await applyEndpoint(service.runtime, 'later', { pool: 'later' })
    const id = await submitText(service.url, key, 'later', 'Now.')
    await query(
      `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, start_after)
       select name, '{"jobId":"job_none"}', 'acct_' || n, group_tier, retry_limit, policy, now() + interval '1 hour'
       from pgboss.job, generate_series(1, 40) as n where data->>'jobId' = $1`,
      [id],
    )
    await query(`update pgboss.job set group_id = 'acct_zzzz' where data->>'jobId' = $1`, [id])
    const claim = {
      queue: 'voice.later',
      free: 2,
      after: { served: '', awaited: '', inARow: 0 },
      workerId: 'w',
      rooms: [],
    }
    expect((await claimQueued(service.runtime.db, claim)).deliveries.map(({ jobId }) => jobId)).toEqual([id])
  })

  test('may then run for as long as the longest time limit, whatever the queue allows by itself', async () => {
    const { key } = await service.createCaller()
    await applyEndpoint(
      service.runtime,
      'endless',
      { pool: 'endless' },
      { time_limit_seconds: LONGEST_TIME_LIMIT_SECONDS },
    )
    const id = await submitText(service.url, key, 'endless', 'Takes a day.')
    const [row] = await query<{ seconds: number }>(
      `select expire_seconds as seconds from pgboss.job where data->>'jobId' = $1`,
      [id],
    )
    expect(row?.seconds).toBeGreaterThan(LONGEST_TIME_LIMIT_SECONDS)
  })

  test('whose place is gone is not failed for an endpoint that this process has not heard of yet', async () => {
    const late = await openRuntime(service.runtime.settings, openLog('error'), { supervise: false })
    const stale = openStale(late)
    const { key } = await service.createCaller()
    await applyEndpoint(service.runtime, 'unheard', { pool: 'unheard' })
    const id = await submitText(service.url, key, 'unheard', 'Lost and found.')
    await query(`delete from pgboss.job where data->>'jobId' = $1`, [id])
    await query(`update job set created_at = now() - interval '1 hour' where id = $1`, [id])
    expect(stale.catalog.current.endpoints.has('unheard')).toBe(false)
    await requeueLostJobs(stale)
    await late.close()
    expect(await readJob(service.url, key, id)).toMatchObject({ status: 'queued' })
    expect(await query(`select name from pgboss.job where data->>'jobId' = $1`, [id])).toEqual([
      { name: 'voice.unheard' },
    ])
  })
})

/** Its catalog is an old one until it has to be read again. */
function openStale(runtime: Runtime): Runtime {
  let { current } = runtime.catalog
  const reload = async () => {
    await runtime.catalog.reload()
    current = runtime.catalog.current
  }
  return {
    ...runtime,
    catalog: {
      get current() {
        return current
      },
      isLoaded: true,
      recordingOf: runtime.catalog.recordingOf,
      reload,
    },
  }
}
