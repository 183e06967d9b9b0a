import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { SpeechRequest } from '../../../src/engines/engine.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { audit } from '../../setup/audit/audit.ts'
import { call } from '../../setup/http.ts'
import { allFinished, applyEndpoint, submitText } from '../../setup/jobs/voice-jobs.ts'
import { BEGIN_HELD } from '../../setup/postgres/held-transaction.ts'
import { loseAnswer } from '../../setup/postgres/lost-answer.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const SLUG = 'idle'
const TIMEOUT_MS = 60_000
const BEYOND_A_FETCH_MS = 600
const isInserting = (text: string): boolean => text.includes('insert into job (')

let service: TestRuntime
let worker: Awaited<ReturnType<typeof startWorker>>
let held = Promise.withResolvers<void>()
let spoken: string[] = []
beforeAll(async () => {
  service = await startTestRuntime({ env: { LOG_LEVEL: 'silent' } })
  await applyEndpoint(service.runtime, SLUG)
  const during = async ({ text }: SpeechRequest) => {
    spoken.push(text)
    await held.promise
  }
  worker = await startWorker(service.runtime, { engines: standInEngines(during) })
})
afterAll(async () => {
  held.resolve()
  await worker.stop()
  await service.close()
})
afterEach(() => {
  held.resolve()
  vi.restoreAllMocks()
})

const rows = async (text: string, values: unknown[] = []) => (await service.runtime.db.pool.query(text, values)).rows
const submit = (key: string, text: string) => submitText(service.url, key, SLUG, text)
const submitOnce = async (key: string, text: string) => {
  const init = { method: 'POST', key, headers: { 'idempotency-key': text }, body: { inputs: { text, voice: 'calm' } } }
  const reply = await call(`${service.url}/api/v1/voice/${SLUG}`, init)
  expect([reply.status, reply.text]).toEqual([202, expect.any(String)])
  return { id: reply.json<{ job_id: string }>().job_id, isReplayed: 'idempotency-replayed' in reply.headers }
}
const finish = async (...ids: string[]) => {
  held.resolve()
  await allFinished(service.runtime, ids)
}
const holdEngine = () => {
  held = Promise.withResolvers<void>()
  spoken = []
}

/** How many jobs the worker has at most, once it has said so. */
const slotsOf = async () =>
  (await until(async () => (await rows('select slots from worker'))[0]?.slots, TIMEOUT_MS, 'the slots')) as number

/** A slot is free some time after its job has ended: once the worker has said so. */
async function allFree(): Promise<void> {
  const [{ now }] = await rows('select now() as now')
  const said = 'select from worker where in_flight = 0 and heartbeat_at > $1'
  await until(async () => (await rows(said, [now])).length === 1, TIMEOUT_MS, 'all slots to be free')
}

const STATE = `
  select j.status, j.attempt, e.amount::int from job j left join credit_entry e on e.job_id = j.id where j.id = $1`

/** A job that the worker speaks until the engine is let go. */
async function begun(key: string, text: string, send = submit): Promise<string> {
  holdEngine()
  const id = await send(key, text)
  await until(() => spoken.includes(text), TIMEOUT_MS, 'the job to be spoken')
  return id
}

test('a job is charged once when a worker begins it', async () => {
  const { key } = await service.createCaller()
  const id = await begun(key, 'At once.')
  expect(await rows(STATE, [id])).toEqual([{ status: 'processing', attempt: 1, amount: -8 }])
  await finish(id)
  expect(await audit(service.runtime, [id])).toEqual([])
})

test('its Idempotency-Key leads back to it, while it runs and once it has ended', async () => {
  const { key, account } = await service.createCaller()
  const id = await begun(key, 'With a key.', async (_key, text) => (await submitOnce(key, text)).id)
  expect(await submitOnce(key, 'With a key.')).toEqual({ id, isReplayed: true })
  await finish(id)
  expect(await submitOnce(key, 'With a key.')).toEqual({ id, isReplayed: true })
  expect(await rows('select count(*)::int from job where account_id = $1', [account])).toEqual(
    await rows('select count(*)::int from idempotency_record where account_id = $1', [account]),
  )
  expect(await audit(service.runtime, [id])).toEqual([])
})

test('of many with one Idempotency-Key that reach an idle worker, one is spoken and charged, and no slot stays taken', async () => {
  const { key, account } = await service.createCaller()
  await finish(await begun(key, 'Idle.'))
  holdEngine()
  const slots = await slotsOf()
  const all = await Promise.all(Array.from({ length: 3 * slots }, () => submitOnce(key, 'Many.')))
  expect(new Set(all.map(({ id }) => id)).size).toBe(1)
  expect(all.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1)
  const ids = [all[0]!.id]
  while (ids.length < slots) ids.push(await submit(key, `Number ${ids.length}.`))
  await until(() => spoken.length === slots, TIMEOUT_MS, 'all slots to be taken')
  await finish(...ids)
  expect(spoken.filter((text) => text === 'Many.')).toHaveLength(1)
  expect(await rows('select from credit_entry where account_id = $1 and job_id = $2', [account, ids[0]])).toHaveLength(
    1,
  )
  expect(await audit(service.runtime, ids)).toEqual([])
})

test('while other transactions hold the Idempotency-Keys of as many as there are slots, others are spoken', async () => {
  const { key, account } = await service.createCaller()
  await finish(await begun(key, 'Idle.'))
  await allFree()
  holdEngine()
  const texts = Array.from({ length: await slotsOf() }, (_, n) => `Held ${n}.`)
  const client = await service.runtime.db.pool.connect()
  await client.query(BEGIN_HELD)
  const hold = `insert into idempotency_record (account_id, key, request_hash, job_id) select $1, unnest($2::text[]), '\\x00', 'none'`
  await client.query(hold, [account, texts])
  const query = vi.spyOn(service.runtime.db.pool, 'query')
  const waiting = texts.map((text) => submitOnce(key, text))
  const isSent = () => query.mock.calls.some(([given]) => isInserting((given as { text?: string }).text ?? ''))
  await until(isSent, TIMEOUT_MS, 'a submission to wait for its key')
  const other = await submit((await service.createCaller()).key, 'Not held.')
  await until(() => spoken.includes('Not held.'), TIMEOUT_MS, 'another account to be served')
  await client.query('rollback')
  client.release()
  const ids = [other, ...(await Promise.all(waiting)).map(({ id }) => id)]
  await finish(...ids)
  expect(await audit(service.runtime, ids)).toEqual([])
})

test('a repeated Idempotency-Key is answered with its job although its queue cannot be made any more', async () => {
  const { key } = await service.createCaller()
  const { id } = await submitOnce(key, 'Repeated.')
  await finish(id)
  vi.spyOn(service.runtime.queue, 'prepare').mockRejectedValue(new Error('no such queue'))
  expect(await submitOnce(key, 'Repeated.')).toEqual({ id, isReplayed: true })
})

test('where all slots are taken it waits', async () => {
  const { key } = await service.createCaller()
  const slots = await slotsOf()
  const ids = [await begun(key, 'First.')]
  while (ids.length < slots) ids.push(await submit(key, `Number ${ids.length}.`))
  await until(() => spoken.length === slots, TIMEOUT_MS, 'all slots to be taken')
  ids.push(await submit(key, 'One too many.'))
  expect(await rows(STATE, [ids.at(-1)])).toMatchObject([{ status: 'queued', attempt: 0, amount: null }])
  await finish(...ids)
  expect(await audit(service.runtime, ids)).toEqual([])
})

test('one that its account cannot pay for is CHARGE_FAILED, and not charged', async () => {
  const { key } = await service.createCaller()
  await finish(await begun(key, 'Idle.'))
  const poor = await service.createCaller(5n)
  const id = await submit(poor.key, 'Too dear.')
  await finish(id)
  expect(await rows('select status, error_code, started_at from job where id = $1', [id])).toEqual([
    { status: 'failed', error_code: 'CHARGE_FAILED', started_at: null },
  ])
  expect(await rows('select from credit_entry where job_id = $1', [id])).toEqual([])
  expect(await audit(service.runtime, [id])).toEqual([])
})

test('while another transaction holds the account it is accepted at once, and charged once later', async () => {
  const { key, account } = await service.createCaller()
  await finish(await begun(key, 'Idle.'))
  const client = await service.runtime.db.pool.connect()
  await client.query('begin')
  await client.query('select from account where id = $1 for no key update', [account])
  const id = await submit(key, 'Held up.')
  expect(await rows(STATE, [id])).toMatchObject([{ status: 'queued', amount: null }])
  await client.query('commit')
  client.release()
  await finish(id)
  expect(await rows('select status from job where id = $1', [id])).toEqual([{ status: 'completed' }])
  expect(await audit(service.runtime, [id])).toEqual([])
})

test('whose answer is lost is accepted, spoken and charged once', async () => {
  const { key } = await service.createCaller()
  let isLost = false
  loseAnswer(service.runtime, (text) => {
    isLost ||= isInserting(text)
    return isInserting(text)
  })
  const id = await submit(key, 'Lost.')
  await finish(id)
  expect(isLost).toBe(true)
  expect(await rows('select status from job where id = $1', [id])).toEqual([{ status: 'completed' }])
  expect(await rows('select count(*)::int from credit_entry where job_id = $1', [id])).toEqual([{ count: 1 }])
  expect(await audit(service.runtime, [id])).toEqual([])
})

test('whose answer is lost is its own with an Idempotency-Key too, and no repetition', async () => {
  const { key } = await service.createCaller()
  let isLost = false
  loseAnswer(service.runtime, (text) => {
    isLost ||= isInserting(text)
    return isInserting(text)
  })
  const { id, isReplayed } = await submitOnce(key, 'Lost.')
  await finish(id)
  expect([isLost, isReplayed]).toEqual([true, false])
  expect(await rows('select status from job where id = $1', [id])).toEqual([{ status: 'completed' }])
  expect(await rows('select count(*)::int from credit_entry where job_id = $1', [id])).toEqual([{ count: 1 }])
  expect(await audit(service.runtime, [id])).toEqual([])
})

test('a burst that reaches an idle worker begins no more jobs than it has slots', async () => {
  const { key } = await service.createCaller()
  await finish(await begun(key, 'Idle.'))
  holdEngine()
  const ids = await Promise.all(Array.from({ length: 24 }, (_, n) => submit(key, `Burst ${n}.`)))
  const most = Math.min(await slotsOf(), ids.length)
  await until(() => spoken.length >= most, TIMEOUT_MS, 'all slots to be taken')
  // As long as another fetch would take.
  await wait(BEYOND_A_FETCH_MS)
  expect(spoken.length).toBe(most)
  await finish(...ids)
  expect(await audit(service.runtime, ids)).toEqual([])
})
