import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ServiceContext } from '../../src/runtime/services.ts'
import { poolWithoutServer } from '../../src/worker/pools.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
let ctx: ServiceContext
beforeAll(async () => {
  service = await startTestRuntime()
  ctx = service.runtime.as({ kind: 'system' })
  await applyEndpoint(service.runtime, 'own', { base_url: 'worker', pool: 'gpu' })
  await applyEndpoint(service.runtime, 'remote', { base_url: 'http://127.0.0.1:9', pool: 'remote' })
  await service.runtime.catalog.reload()
})
afterEach(() => ctx.db.pool.query('delete from worker'))
afterAll(() => service.close())

const READY = { state: 'ready', since: '2026-11-25T00:00:00.000Z', restarts: 0, error: null }
const register = (pool: string, server: object | null, heartbeat = `now() + interval '10 minutes'`) =>
  ctx.db.pool.query(
    `insert into worker (id, host, version, pools, slots, in_flight, gpus, server, heartbeat_at)
      values ('wrk_a', 'a', '1', array[$1], 1, 0, '[]', $2, ${heartbeat})`,
    [pool, server],
  )

describe('the pool without a server', () => {
  test('is none where any worker takes the jobs, or the endpoint is gone', async () => {
    expect(await Promise.all(['tts', 'remote', 'gone'].map((slug) => poolWithoutServer(ctx, slug)))).toEqual(
      Array(3).fill(null),
    )
  })

  test.each(['ready', 'starting'])('is none where a worker of it has one that is %s', async (state) => {
    await register('gpu', { ...READY, state })
    expect(await poolWithoutServer(ctx, 'own')).toBeNull()
  })

  test.each([
    ['no worker', () => Promise.resolve()],
    ['a worker without a server', () => register('gpu', null)],
    ['a worker whose server has failed', () => register('gpu', { ...READY, state: 'failed', error: 'no card' })],
    ['a worker of another pool', () => register('other', READY)],
    ['a worker that has died', () => register('gpu', READY, `now() - interval '10 s'`)],
  ])("is the endpoint's with %s", async (_what, prepare) => {
    await prepare()
    expect(await poolWithoutServer(ctx, 'own')).toBe('gpu')
  })
})
