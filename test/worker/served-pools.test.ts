import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertJob } from '../setup/jobs/jobs.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { ask } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const insertWorker = (id: string, pools: string, ageSeconds: number) =>
  service.runtime.db.pool.query(
    `insert into worker (id, host, version, pools, slots, in_flight, gpus, heartbeat_at)
     values ($1, 'h', '1', $2, 1, 0, '[]', now() - $3 * interval '1 second')`,
    [id, pools, ageSeconds],
  )

describe('the pool of a job', () => {
  test('is served while a worker that takes from it lives, of jobs that wait alone', async () => {
    const { account, key } = await service.createCaller()
    const { db } = service.runtime
    await applyEndpoint(service.runtime, 'night', { pool: 'night' })
    const jobs = {
      night: await insertJob(db, account, { status: 'queued', endpointKey: 'voice.night' }),
      portrait: await insertJob(db, account, { status: 'queued', type: 'generate' }),
      gone: await insertJob(db, account, { status: 'queued', endpointKey: 'voice.gone' }),
      ended: await insertJob(db, account, { endpointKey: 'voice.night' }),
    }
    const served = async () => {
      const { data } = await ask<{ jobs: { edges: { node: { id: string; poolServed: boolean | null } }[] } }>(
        service.url,
        key,
        '{ jobs { edges { node { id poolServed } } } }',
      )
      const found = new Map(data?.jobs.edges.map(({ node }) => [node.id, node.poolServed]))
      return Object.fromEntries(Object.entries(jobs).map(([name, id]) => [name, found.get(id)]))
    }
    const unknown = { gone: null, ended: null }
    expect(await served()).toEqual({ night: false, portrait: false, ...unknown })
    await insertWorker('wrk_day', '{day}', -600)
    await insertWorker('wrk_dead', '{night}', 10)
    expect(await served()).toEqual({ night: false, portrait: true, ...unknown })
    await insertWorker('wrk_night', '{night}', -600)
    expect(await served()).toEqual({ night: true, portrait: true, ...unknown })
    await db.pool.query('delete from worker')
  })

  test('has a name for operators alone, as pools have it', async () => {
    const { account, key } = await service.createCaller()
    const operator = (await service.createKey(await service.createAccount(), ['operator'])).apiKey
    await applyEndpoint(service.runtime, 'named', { pool: 'named-pool' })
    const { db } = service.runtime
    const query = 'query ($id: ID!) { node(id: $id) { ... on Job { pool } } }'
    const poolOf = async (asker: string, id: string) => {
      const { data, errors } = await ask<{ node: { pool: string | null } }>(service.url, asker, query, { id })
      return [data?.node.pool, errors?.[0]?.extensions.code]
    }
    const voice = await insertJob(db, account, { endpointKey: 'voice.named' })
    expect(await poolOf(key, voice)).toEqual([null, 'FORBIDDEN'])
    expect(await poolOf(operator, voice)).toEqual(['named-pool', undefined])
    const other = { generate: 'generate.cog', companion_chat: null } as const
    for (const type of ['generate', 'companion_chat'] as const)
      expect(await poolOf(operator, await insertJob(db, account, { type }))).toEqual([other[type], undefined])
    expect(await poolOf(operator, await insertJob(db, account, { endpointKey: 'voice.gone' }))).toEqual([
      null,
      undefined,
    ])
  })
})

describe('an endpoint', () => {
  const LISTS = ['myEndpoints { slug isServed }', 'catalog { endpoints { slug isServed } }'] as const
  type Served = readonly { readonly slug: string; readonly isServed: boolean | null }[]

  /** The answer about the endpoints named here, and the number of statements that read the workers. */
  async function answered(key: string | null, list: string) {
    const query = vi.spyOn(pg.Client.prototype, 'query')
    try {
      const { data } = await ask<{ myEndpoints?: Served; catalog?: { endpoints: Served } }>(
        service.url,
        key,
        `{ ${list} }`,
      )
      const all = data?.myEndpoints ?? data?.catalog?.endpoints ?? []
      const texts = query.mock.calls.map(([statement]: unknown[]) => JSON.stringify(statement))
      return {
        served: Object.fromEntries(all.map(({ slug, isServed }) => [slug, isServed])),
        statements: texts.filter((text) => /from worker\b/.test(text)).length,
      }
    } finally {
      query.mockRestore()
    }
  }

  test('is served while a worker that takes its jobs lives, of all endpoints in one statement for each list', async () => {
    const { key } = await service.createCaller()
    const pools = { early: 'early', late: 'late', later: 'late' }
    for (const [slug, pool] of Object.entries(pools)) await applyEndpoint(service.runtime, slug, { pool })
    await insertWorker('wrk_late', '{late}', -600)
    await insertWorker('wrk_gone', '{early}', 10)
    // The endpoints that the caller can submit to are put in order as well.
    for (const [list, statements] of [
      [LISTS[0], 2],
      [LISTS[1], 1],
    ] as const)
      expect(await answered(key, list)).toMatchObject({ served: { early: false, late: true, later: true }, statements })
    await service.runtime.db.pool.query('delete from worker')
    expect((await answered(key, LISTS[0])).served).toMatchObject({ early: false, late: false, later: false })
  })

  test('is away once every living worker of its pool says so, and where none has a server of its own that lives', async () => {
    const { key } = await service.createCaller()
    const { db } = service.runtime
    const [remote, owned] = ['http://127.0.0.1:9', 'worker']
    await applyEndpoint(service.runtime, 'remote', { pool: 'gpus', base_url: remote })
    await applyEndpoint(service.runtime, 'owned', { pool: 'gpus', base_url: owned })
    const say = (id: string, away: object, server: object | null) =>
      db.pool.query('update worker set away = $2, server = $3 where id = $1', [id, away, server])
    const served = async () => {
      const { remote: far, owned: own } = (await answered(key, LISTS[0])).served
      return [far, own]
    }
    for (const id of ['wrk_one', 'wrk_two']) await insertWorker(id, '{gpus}', -600)
    await insertWorker('wrk_other', '{elsewhere}', -600)
    const failed = { state: 'failed', since: '2026-01-01', restarts: 1, error: 'it ended' }
    const away = { [remote]: 'connection refused at http://127.0.0.1:9' }
    await say('wrk_one', away, failed)
    expect(await served()).toEqual([true, false])
    await say('wrk_two', {}, { ...failed, state: 'ready', error: null })
    expect(await served()).toEqual([true, true])
    await say('wrk_two', away, failed)
    expect(await served()).toEqual([false, false])
    await db.pool.query('delete from worker')
  })

  test('is read of no worker without a key, nor where nobody asks whether it is served', async () => {
    await applyEndpoint(service.runtime, 'public', {})
    const unasked = await answered(null, LISTS[1])
    expect([unasked.served.public, unasked.statements]).toEqual([null, 0])
    const { key } = await service.createCaller()
    expect((await answered(key, 'catalog { endpoints { slug } }')).statements).toBe(0)
  })
})
