import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { updateAccount } from '../../../src/accounts/update-account.ts'
import { deleteApiKey, updateApiKey } from '../../../src/api-keys/change-api-key.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import { claimJob, jobRowClaim } from '../../../src/jobs/lifecycle/claim-job.ts'
import { completeJob } from '../../../src/jobs/lifecycle/record-outcome.ts'
import { requeueLostJobs } from '../../../src/jobs/lifecycle/requeue-lost-jobs.ts'
import { voiceKind } from '../../../src/queue/job-kind.ts'
import type { Delivery } from '../../../src/queue/job-source.ts'
import { fairSource } from '../../../src/queue/pgboss/fair-source.ts'
import { newId } from '../../../src/values/id.ts'
import { rescueDeadWorkersJobs } from '../../../src/worker/register-worker.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call } from '../../setup/http.ts'
import { copyWaiting } from '../../setup/jobs/copy-waiting.ts'
import { AUDIO } from '../../setup/jobs/jobs.ts'
import { applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'

const CLAIMERS = 16
const FREE = 8
const BACKLOG = 20_000
/** A claim among a thousand jobs reads about as many. */
const FEW_PAGES = 600

let service: TestRuntime
let pool = ''
let pools = 0
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
})
afterAll(() => service?.close())
beforeEach(async () => {
  pool = await newPool()
})

async function newPool(): Promise<string> {
  const name = `pool-${++pools}`
  await applyEndpoint(service.runtime, name, { pool: name })
  return name
}

const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await service.runtime.db.pool.query<Row>(text, values)).rows
const operator = () => service.runtime.as({ kind: 'system' })
const limitKey = (apiKeyId: string, maxRunning: number | null) => updateApiKey(operator(), { apiKeyId, maxRunning })
const limitAccount = (account: string, maxRunning: number | null) => updateAccount(operator(), { account, maxRunning })

async function submit(key: string, count: number, slug = pool): Promise<string[]> {
  const jobs: string[] = []
  for (let n = 0; n < count; n++) jobs.push(await submitText(service.url, key, slug, 'Ten chars.'))
  return jobs
}

async function submitLive(key: string): Promise<string> {
  const text = `mutation { submitVoiceJob(slug: "${pool}", inputs: {text: "Hi.", voice: "calm"}, live: true) { ... on VoiceJobSubmission { jobId } } }`
  const answer = await call(`${service.url}/graphql`, { method: 'POST', key, body: { query: text } })
  return answer.json<{ data: { submitVoiceJob: { jobId: string } } }>().data.submitVoiceJob.jobId
}

const sourceOf = (slug = pool, workerId = service.runtime.workerId) =>
  fairSource({ db: service.runtime.db, workerId, kind: voiceKind(slug), rowClaim: jobRowClaim })
const take = async (free = FREE, slug = pool, workerId?: string) =>
  (await sourceOf(slug, workerId).take(free, [])).deliveries
const idsOf = (deliveries: readonly Delivery[]) => deliveries.map(({ jobId }) => jobId)

async function complete({ jobId, id, retryCount, claimed }: Delivery) {
  const claim = await claimJob({ ...service.runtime, ...(claimed && { claimed }) }, jobId)
  const file = { ...AUDIO, storageKey: `${jobId}/${claim!.attempt}/audio.wav` }
  const row = { queue: voiceKind(pool).queue, id, retryCount }
  expect(await completeJob(service.runtime, claim!, [file], {}, row)).toBe(true)
}

const flood = (jobId: string, count: number) => copyWaiting(service.runtime.db, jobId, count)

async function pagesOf(claim: string): Promise<number> {
  const client = await service.runtime.db.pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${claim}`)
    await client.query('rollback')
    const { Plan } = rows[0]['QUERY PLAN'][0]
    return Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']
  } finally {
    client.release()
  }
}

test('16 claimers at once never have more than 3 jobs of a key begin, whatever ends meanwhile, and all end', async () => {
  const { key, keyId } = await service.createCaller(10_000n)
  const jobs = await submit(key, 40)
  await limitKey(keyId, 3)
  const seen: number[] = []
  let ended = 0
  const count = async () => {
    const [row] = await query<{ n: number }>(
      `select count(*)::int as n from job where api_key_id = $1 and status = 'processing'`,
      [keyId],
    )
    seen.push(row!.n)
  }
  const claimer = async () => {
    const source = sourceOf()
    while (ended < jobs.length) {
      const { deliveries } = await source.take(FREE, [])
      await count()
      for (const delivery of deliveries) {
        await complete(delivery)
        ended++
      }
      await turn()
    }
  }
  await Promise.all(Array.from({ length: CLAIMERS }, claimer))
  expect(Math.max(...seen)).toBe(3)
  expect(ended).toBe(jobs.length)
  expect((await audit(service.runtime, jobs)).filter((sentence) => !sentence.includes('artifact'))).toEqual([])
})

test('the lower one of both limits holds, over the queues of all pools, in the order of the jobs', async () => {
  const { account, key, keyId } = await service.createCaller()
  const { apiKey: other } = await service.createKey(account)
  const elsewhere = await newPool()
  await limitAccount(account, 3)
  await limitKey(keyId, 2)
  const [mine, others, far] = [await submit(key, 4), await submit(other, 3), await submit(other, 2, elsewhere)]
  const begun = await take()
  expect(idsOf(begun)).toEqual([mine[0], mine[1], others[0]])
  expect(idsOf(await take(FREE, elsewhere))).toEqual([])
  expect(idsOf(await take())).toEqual([])
  await complete(begun[0]!)
  expect(idsOf(await take(1))).toEqual([mine[2]])
  await cancelJob(operator(), { jobId: others[0]! })
  expect(idsOf(await take())).toEqual([others[1]])
  await complete(begun[1]!)
  expect(idsOf(await take(FREE, elsewhere))).toEqual([far[0]])
  await limitAccount(account, null)
  expect(idsOf(await take(FREE, elsewhere))).toEqual([far[1]])
  expect(idsOf(await take())).toEqual([mine[3], others[2]])
})

test('500 waiting jobs of a limited account or key hold back neither another account nor another key', async () => {
  const [limited, free] = [await service.createCaller(10_000n), await service.createCaller()]
  const { apiKey: second } = await service.createKey(limited.account)
  await limitKey(limited.keyId, 1)
  const [first] = await submit(limited.key, 2)
  await flood((await submit(limited.key, 1))[0]!, 500)
  expect(idsOf(await take(1))).toEqual([first])
  const [theirs, ours] = [await submit(free.key, 1), await submit(second, 1)]
  expect([...idsOf(await take(1)), ...idsOf(await take(1))].toSorted()).toEqual([...theirs, ...ours].toSorted())
  expect(idsOf(await take())).toEqual([])
})

test('jobs of a limit that was removed, and of a deleted key, are taken in their order', async () => {
  const { account, key, keyId } = await service.createCaller()
  const { apiKey: second } = await service.createKey(account)
  const { apiKey: third, apiKeyId: thirdId } = await service.createKey(account)
  await limitKey(keyId, 1)
  await limitKey(thirdId, 1)
  const [mine, gone, others] = [await submit(key, 3), await submit(third, 3), await submit(second, 2)]
  expect(idsOf(await take())).toEqual([mine[0], gone[0], ...others])
  await limitKey(keyId, null)
  await deleteApiKey(operator(), { apiKeyId: thirdId })
  expect(idsOf(await take(3))).toEqual([mine[1], mine[2], gone[1]])
  expect(idsOf(await take())).toEqual([gone[2]])
})

test('jobs that somebody waits for wait for a place as well, and come first', async () => {
  const { account, key } = await service.createCaller()
  await limitAccount(account, 2)
  const bulk = await submit(key, 3)
  const live = [await submitLive(key), await submitLive(key), await submitLive(key)]
  const begun = await take(2)
  expect(idsOf(begun)).toEqual(live.slice(0, 2))
  expect(idsOf(await take())).toEqual([])
  await complete(begun[0]!)
  expect(idsOf(await take())).toEqual([live[2]])
  await complete(begun[1]!)
  expect(idsOf(await take())).toEqual([bulk[0]])
})

test('the places of a dead worker are taken by its own jobs, also where older ones wait before them', async () => {
  const { account, key } = await service.createCaller(10_000n)
  const worker = newId('wrk')
  await query(`insert into worker (id, host, version, slots, in_flight, gpus) values ($1, 'gone', '1', 1, 1, '[]')`, [
    worker,
  ])
  const jobs = await submit(key, 6)
  await limitAccount(account, 3)
  expect(idsOf(await take(FREE, pool, worker))).toEqual(jobs.slice(0, 3))
  await query(`update worker set heartbeat_at = now() - interval '1 hour' where id = $1`, [worker])
  expect(idsOf(await take())).toEqual([])
  expect(await rescueDeadWorkersJobs(service.runtime)).toBe(3)
  await query(`update pgboss.job_common set created_on = now() + interval '1 hour' where data->>'jobId' = any($1)`, [
    jobs.slice(0, 3),
  ])
  const again = await take()
  expect(idsOf(again).toSorted()).toEqual(jobs.slice(0, 3))
  await complete(again[0]!)
  expect(idsOf(await take())).toEqual([jobs[3]])
})

test('a job whose queue row was lost keeps its place and needs no other', async () => {
  const { account, key } = await service.createCaller()
  const jobs = await submit(key, 3)
  await limitAccount(account, 1)
  expect(idsOf(await take())).toEqual([jobs[0]])
  await query(`update job set created_at = created_at - interval '1 hour' where id = any($1)`, [jobs])
  await query(`delete from pgboss.job where data->>'jobId' = $1`, [jobs[0]])
  expect(idsOf(await take())).toEqual([])
  expect(await requeueLostJobs(service.runtime)).toBe(1)
  expect(idsOf(await take())).toEqual([jobs[0]])
})

test('a job that a worker has taken without its row holds a place', async () => {
  const { account, key } = await service.createCaller()
  const jobs = await submit(key, 3)
  await limitAccount(account, 2)
  const holder = await service.runtime.db.pool.connect()
  await holder.query(BEGIN_HELD)
  await holder.query('select from job where id = $1 for update', [jobs[0]])
  const taken = await take(1)
  await holder.query('rollback')
  holder.release()
  expect(taken).toMatchObject([{ jobId: jobs[0] }])
  expect(await query('select status from job where id = $1', [jobs[0]])).toEqual([{ status: 'queued' }])
  expect(idsOf(await take())).toEqual([jobs[1]])
})

test('a claim leaves out an account that another claim is taking jobs of, and waits for none', async () => {
  const [limited, free] = [await service.createCaller(), await service.createCaller()]
  await limitAccount(limited.account, 2)
  const mine = await submit(limited.key, 2)
  const other = await service.runtime.db.pool.connect()
  await other.query(BEGIN_HELD)
  await other.query(`select * from claim_queued($1, 1, '', 'w', '{}')`, [voiceKind(pool).queue])
  const theirs = await submit(free.key, 1)
  const taken = idsOf(await take())
  await other.query('rollback')
  other.release()
  expect(taken).toEqual(theirs)
  expect(idsOf(await take())).toEqual(mine)
})

test.each(['account', 'key'])(
  `${BACKLOG} waiting jobs of a limited %s cost the claims of others a few pages`,
  { timeout: 120_000 },
  async (owner) => {
    const [limited, free] = [await service.createCaller(10_000_000n), await service.createCaller()]
    await (owner === 'account' ? limitAccount(limited.account, 1) : limitKey(limited.keyId, 1))
    const [first, second] = await submit(limited.key, 2)
    expect(idsOf(await take(1))).toEqual([first])
    await flood(second!, BACKLOG)
    const theirs = await submit(free.key, 1)
    expect(await pagesOf(`select * from claim_queued('${voiceKind(pool).queue}', 4, '', 'w', '{}')`)).toBeLessThan(
      FEW_PAGES,
    )
    expect(idsOf(await take())).toEqual(theirs)
  },
)

test('jobs that waited before their key had a limit let others by, some at each claim', async () => {
  const { account, key, keyId } = await service.createCaller(10_000n)
  const { apiKey: second } = await service.createKey(account)
  const [first, then] = await submit(key, 2)
  await flood(then!, 120)
  const others = await submit(second, 1)
  await limitKey(keyId, 1)
  const taken: string[] = []
  for (let n = 0; n < 4; n++) taken.push(...idsOf(await take(1)))
  expect(taken).toEqual([first, ...others])
  await limitKey(keyId, 2)
  expect(idsOf(await take())).toEqual([then])
})

test('the end of a job leads to a claim while limits may hold others back, also where it made no capacity', async () => {
  const { key, account } = await service.createCaller()
  await limitAccount(account, 1)
  await submit(key, 2)
  const room = (isAwaited: boolean) => ({ isAwaited, free: FREE, limits: new Map([['', FREE]]), full: [] })
  const { db, workerId } = service.runtime
  const rooms = () => [room(true), room(false)]
  const source = fairSource({ db, workerId, kind: voiceKind(pool), rooms, rowClaim: jobRowClaim })
  const claims: [taken: number, whenFull: boolean, whenFree: boolean][] = []
  for (let n = 0; n < 4; n++) {
    const { deliveries } = await source.take(FREE, [])
    const [ended] = deliveries
    if (ended) await complete(ended)
    const left = (free: number) => source.left({ id: '', retryCount: 0, jobId: '' }, free)
    claims.push([deliveries.length, left(0), left(1)])
  }
  expect(claims).toEqual([
    [1, true, true],
    [1, true, true],
    [0, false, false],
    [0, false, false],
  ])
})

test.each(['account', 'key'])('another limit of the %s wakes the workers', async (owner) => {
  const { account, keyId } = await service.createCaller()
  const client = await service.runtime.db.pool.connect()
  const woken = (limit: number | null) =>
    new Promise<unknown>((resolve) => {
      client.on('notification', ({ payload }) => payload === voiceKind(pool).queue && resolve(limit))
    })
  await client.query('listen sonant_queue')
  for (const limit of [3, null]) {
    const heard = woken(limit)
    await (owner === 'account' ? limitAccount(account, limit) : limitKey(keyId, limit))
    expect(await heard).toBe(limit)
  }
  client.release(true)
})
