import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { failAbandonedJobs } from '../../src/companion/companion-job.ts'
import { chatAnswer } from '../setup/servers/provider-server.ts'
import { ask, errorOf, mutation } from '../setup/service/graphql.ts'
import { type Producers, startProducers } from '../setup/service/producers.ts'
import { until } from '../setup/wait.ts'

const CHAT = '/v1/chat/completions'
const DEADLINE_MS = 60_000

interface Body {
  job_id: string
  chat_id: string
  error_code: string
}

let service: Producers
beforeAll(async () => {
  service = await startProducers(({ url }) => ({ COMPANION_BASE_URL: url, COMPANION_TIMEOUT_SECONDS: '60' }))
})
afterAll(() => service.close())
beforeEach(() => service.provider.reset())

const say = (key: string, idempotencyKey: string, message = 'Hello.') =>
  service.send<Body>('/companion/chat', key, { message }, { 'idempotency-key': idempotencyKey })

/** The model holds its answer back until the test releases it. */
const heldChat = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  service.provider.script(CHAT, { ...chatAnswer('late'), until: promise })
  return { release: resolve, asked: () => until(() => service.provider.of(CHAT).length > 0, DEADLINE_MS, 'a question') }
}

describe('a companion request with an Idempotency-Key', () => {
  it('gets the same answer again, word for word, and is done once', async () => {
    const key = await service.newKey()
    const first = await say(key, 'a')
    const again = await say(key, 'a')
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(first.headers.has('idempotency-replayed')).toBe(false)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(service.provider.of(CHAT)).toHaveLength(1)
    const retarget = { chat_id: first.body.chat_id, persona: 'You are kind.' }
    const one = await service.send<Body>('/companion/retarget', key, retarget, { 'idempotency-key': 'b' })
    const two = await service.send<Body>('/companion/retarget', key, retarget, { 'idempotency-key': 'b' })
    expect(two.body).toEqual(one.body)
  })

  it('gets the same answer again when its chat is gone meanwhile', async () => {
    const key = await service.newKey()
    const chat_id = (await say(key, 'a')).body.chat_id
    const further = { message: 'Go on.', chat_id }
    const retarget = { chat_id, persona: 'You are kind.' }
    const send = () =>
      Promise.all([
        service.send<Body>('/companion/chat', key, further, { 'idempotency-key': 'b' }),
        service.send<Body>('/companion/retarget', key, retarget, { 'idempotency-key': 'c' }),
      ])
    const first = await send()
    await service.query('delete from companion_chat where id = $1', [chat_id])
    expect((await send()).map(({ status, body }) => ({ status, body }))).toEqual(
      first.map(({ body }) => ({ status: 200, body })),
    )
    const fresh = await service.send<Body>('/companion/chat', key, further, { 'idempotency-key': 'd' })
    expect(fresh.status).toBe(404)
  })

  it('is answered though its chat was dropped while the model was asked, and nothing more of that is kept', async () => {
    const key = await service.newKey()
    const chat_id = (await say(key, 'a')).body.chat_id
    service.provider.reset()
    const held = heldChat()
    const answer = service.send<Body>('/companion/chat', key, { message: 'Go on.', chat_id })
    await held.asked()
    await service.query('delete from companion_chat where id = $1', [chat_id])
    held.release()
    expect((await answer).status).toBe(200)
    expect(await service.query('select from companion_turn where chat_id = $1', [chat_id])).toEqual([])
  })

  it('gets the same failure again', async () => {
    const key = await service.newKey()
    service.provider.script(CHAT, { status: 400 })
    const first = await say(key, 'a')
    service.provider.reset()
    const again = await say(key, 'a')
    expect([again.status, again.body]).toEqual([502, first.body])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(service.provider.of(CHAT)).toEqual([])
  })

  it('is 409 while the first is under way, also 20 times at once, and replayed afterwards', async () => {
    const key = await service.newKey()
    const held = heldChat()
    const first = say(key, 'a')
    await held.asked()
    const others = await Promise.all(Array.from({ length: 20 }, () => say(key, 'a')))
    expect(others.map(({ status, body }) => `${status} ${body.error_code}`)).toEqual(
      others.map(() => '409 IDEMPOTENCY_IN_PROGRESS'),
    )
    expect(new Set(others.map(({ headers }) => headers.get('retry-after')))).toEqual(new Set(['2']))
    const chat = 'chatWithCompanion(message: "Hello.", idempotencyKey: "a")'
    const asked = await ask(service.url, key, mutation(chat, '... on CompanionChatAnswer { jobId }'))
    expect([errorOf(asked)?.code, asked.errors]).toEqual(['IDEMPOTENCY_IN_PROGRESS', undefined])
    held.release()
    const done = await first
    expect(done.status).toBe(200)
    expect((await say(key, 'a')).body).toEqual(done.body)
    expect(service.provider.of(CHAT)).toHaveLength(1)
  })

  it('is 422 with another message, on another route, and for another producer', async () => {
    const key = await service.newKey()
    const { body } = await say(key, 'a')
    const headers = { 'idempotency-key': 'a' }
    const answers = [
      await say(key, 'a', 'Another.'),
      await service.send<Body>('/companion/retarget', key, { chat_id: body.chat_id, persona: 'Hello.' }, headers),
    ]
    expect(answers.map((answer) => answer.body.error_code)).toEqual(['IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_MISMATCH'])
  })

  it('belongs to its account', async () => {
    const mine = await say(await service.newKey(), 'a')
    const yours = await say(await service.newKey(), 'a')
    expect(yours.status).toBe(200)
    expect(yours.body.job_id).not.toBe(mine.body.job_id)
  })
})

describe('a companion job whose process died', () => {
  /** As long ago as no living request can have begun. */
  const age = (jobId: string) =>
    service.query(`update job set started_at = now() - interval '10 minutes' where id = $1`, [jobId])
  const processing = async () =>
    (await service.query<{ id: string }>(`select id from job where status = 'processing'`, []))[0]?.id ?? ''

  it('gives its Idempotency-Key free, and what wakes up late changes nothing', async () => {
    const key = await service.newKey()
    const held = heldChat()
    const first = say(key, 'a')
    await held.asked()
    const lost = await processing()
    await age(lost)
    service.provider.script(CHAT, chatAnswer('at once'))
    const second = await say(key, 'a')
    expect([second.status, second.headers.has('idempotency-replayed')]).toEqual([200, false])
    expect(second.body.job_id).not.toBe(lost)
    expect(await service.job(lost)).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    held.release()
    const late = await first
    expect([late.status, late.body]).toMatchObject([502, { job_id: lost, error_code: 'INTERNAL_ERROR' }])
    expect(await service.job(lost)).toMatchObject({
      status: 'failed',
      cause: 'the process ended before the request did',
    })
    expect((await say(key, 'a')).body).toEqual(second.body)
  })

  it('is failed by tidying up, while one that is only slow is left alone', async () => {
    const key = await service.newKey()
    const held = heldChat()
    const slow = say(key, 'a')
    await held.asked()
    const id = await processing()
    expect(await failAbandonedJobs(service.runtime)).toBe(0)
    await age(id)
    expect(await failAbandonedJobs(service.runtime)).toBe(1)
    expect(await failAbandonedJobs(service.runtime)).toBe(0)
    expect(await service.job(id)).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR', is_prohibited: null })
    held.release()
    expect((await slow).status).toBe(502)
  })
})

// Last: its job stays unfinished.
describe('a companion job whose end the database does not take', () => {
  afterEach(() => vi.restoreAllMocks())

  /** PostgreSQL does not roll back a sequence with the refusal. */
  const hasRefused = async () => (await service.query<{ is_called: boolean }>('select is_called from refusals', []))[0]
  const refuse = async () => {
    await service.query('create sequence refusals', [])
    await service.query(
      `create function refuse() returns trigger language plpgsql as $$ begin
         perform nextval('refusals');
         raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
      [],
    )
    await service.query('create trigger refuse before update on job for each row execute function refuse()', [])
  }

  it('for half a minute is 503 with Retry-After, and its Idempotency-Key stays its own', async () => {
    const key = await service.newKey()
    const held = heldChat()
    const first = say(key, 'a')
    await held.asked()
    await refuse()
    try {
      held.release()
      await until(async () => (await hasRefused())?.is_called, DEADLINE_MS, 'the database to refuse')
      const real = performance.now.bind(performance)
      // For what repeats the statement alone: the service's clock would take the leap for a slow answer, and the job for an old one.
      const leap = () => (new Error().stack?.includes('until-answered') ? 3_600_000 : 0)
      vi.spyOn(performance, 'now').mockImplementation(() => real() + leap())
      const { status, headers, body } = await first
      expect([status, headers.get('retry-after'), body.error_code]).toEqual([503, '1', 'UNAVAILABLE'])
    } finally {
      await service.query('drop function refuse cascade', [])
    }
    expect((await say(key, 'a')).body.error_code).toBe('IDEMPOTENCY_IN_PROGRESS')
  })
})
