import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { voiceKind } from '../../../src/queue/job-kind.ts'
import type { BossQueue } from '../../../src/queue/pgboss/boss-queue.ts'
import { claimQueued } from '../../../src/queue/pgboss/fair-source.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const MANY = 300

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())

const query = async (text: string, values: unknown[] = []) => (await service.runtime.db.pool.query(text, values)).rows
const claimOf = (slug: string, free = 4) =>
  claimQueued(service.runtime.db, {
    queue: `voice.${slug}`,
    free,
    after: { served: '', awaited: '', inARow: 0 },
    workerId: 'wrk_taker',
    rooms: [],
  })

/** A job of an hour ago that a worker has taken, before many jobs of another account. */
async function takenBeforeMany(slug: string, state = 'created') {
  const { runtime, url } = service
  await applyEndpoint(runtime, slug, { pool: slug })
  const { key } = await service.createCaller()
  const jobId = await submitText(url, key, slug, 'Taken.')
  await query(
    `update pgboss.job set created_on = now() - interval '1 hour', start_after = now() - interval '1 hour' where data->>'jobId' = $1`,
    [jobId],
  )
  const [delivery] = (await claimOf(slug)).deliveries
  await query(
    `insert into pgboss.job (name, data, group_id, group_tier, retry_limit, policy, created_on, start_after, state)
     select name, jsonb_build_object('jobId', 'job_' || n), 'acct_0', group_tier, retry_limit, policy, at, at, $3
     from pgboss.job, generate_series(1, $2::integer) n, lateral (select now() - interval '10 minutes' + n * interval '1 s') made(at)
     where data->>'jobId' = $1`,
    [jobId, MANY, state],
  )
  return { jobId, delivery: delivery! }
}
const takes = async (slug: string, jobId: string) =>
  expect((await claimOf(slug)).deliveries.map((one) => one.jobId)).toContain(jobId)

describe('a job that goes back to a long queue takes its turn', () => {
  test('when its worker releases it', async () => {
    const { jobId, delivery } = await takenBeforeMany('released')
    await (service.runtime.queue as BossQueue).release(voiceKind('released'), [delivery], 'wrk_taker')
    await takes('released', jobId)
  })

  test('when its worker ends', async () => {
    const { jobId } = await takenBeforeMany('ended')
    await service.runtime.queue.releaseWorker('wrk_taker')
    await takes('ended', jobId)
  })

  const waiting = async (slug: string) => {
    const { jobId, delivery } = await takenBeforeMany(slug)
    await query(`update pgboss.job set state = 'created', started_on = null where data->>'jobId' = $1`, [jobId])
    return { jobId, route: { kind: voiceKind(slug), server: delivery.server! } }
  }

  test('when its endpoint moves to another queue', async () => {
    const { jobId, route: from } = await waiting('from')
    const { route: to } = await waiting('to')
    await service.runtime.queue.reroute({ endpointKey: 'voice.from', from, to })
    await takes('to', jobId)
  })

  test('when it waited in a queue that no endpoint has any more', async () => {
    const { jobId } = await waiting('left')
    const { route } = await waiting('entered')
    await service.runtime.queue.rerouteOrphaned([{ endpointKey: 'voice.left', route }])
    await takes('entered', jobId)
  })

  test('when many others of another account went back before', async () => {
    const { jobId } = await takenBeforeMany('all', 'retry')
    await service.runtime.queue.releaseWorker('wrk_taker')
    await takes('all', jobId)
  })
})
