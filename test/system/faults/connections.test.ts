import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { INSERT_JOB, INSERT_JOB_ONCE } from '../../../src/jobs/lifecycle/queue-job.ts'
import { claimApart, claimTogether } from '../../setup/postgres/claims-apart.ts'
import {
  type ChaosService,
  MAX_IN_FLIGHT,
  RECEIVER_PATH,
  startChaosService,
} from '../../setup/scenarios/chaos-service.ts'
import { cutAnswers, cutReplies, cutShares } from '../../setup/servers/fault-proxy.ts'
import { ask } from '../../setup/service/graphql.ts'
import { until } from '../../setup/wait.ts'

const LOAD_MS = 5_000
/** More than one receiver gets at once. */
const SLOW_JOBS = 40
const SLOW_MS = 300
const TIMEOUT_MS = 60_000
/**
 * Bytes that only one statement has: the claim of a job with its place in the queue, its end with its delivery, its failure (by the status that
 * is bound); the begin of an attempt at a webhook delivery, its records.
 */
const COMMITTED_BY_WORKERS = [
  'claim_queued',
  'create_deliveries',
  '"failed"',
  'begin_attempts',
  'succeed_attempts',
  'fail_attempt',
]
/** Statements that several jobs share. */
const BATCHES = ['end_jobs', 'create_deliveries']
/** Jobs that a worker knows when the answer to its next claim is lost. */
const UNDER_WAY = 4
/** One that holds so many jobs is no job alone. */
const LEAST_JOBS = 2

describe('connections to the database that break', { timeout: 240_000 }, () => {
  let fixture: ChaosService
  /** The gate of the speech server; a test may close it. */
  let gate = Promise.withResolvers<void>()
  beforeAll(async () => {
    fixture = await startChaosService()
  })
  afterEach(async () => {
    gate.resolve()
    fixture.proxy.rule = () => null
    fixture.speech.answer(() => ({}))
    await claimTogether(fixture.auditor.db.pool)
  })
  afterAll(() => fixture?.close())

  const idsOf = async () =>
    (await fixture.auditor.db.pool.query<{ id: string }>('select id from job order by id')).rows.map(({ id }) => id)
  /** The jobs with these texts, in their order: a job that was made twice has more rows than one. */
  const madeOf = async (texts: readonly string[]) => {
    const { rows } = await fixture.auditor.db.pool.query<{
      id: string
      text: string
      attempt: number
      charges: number
    }>(
      `select id, t.text, attempt, (select count(*)::int from credit_entry e where e.job_id = j.id) as charges
       from unnest($1::text[]) with ordinality as t (text, place) join job j on right(inputs->>'text', length(t.text)) = t.text
       order by place`,
      [texts],
    )
    return rows
  }
  const timesSpoken = (texts: readonly string[]) =>
    texts.map((text) => fixture.speech.calls.filter(({ body }) => String(body.input).endsWith(text)).length)

  test('anywhere, also before the reply to a COMMIT: nothing is lost and nothing is done twice', async () => {
    fixture.proxy.rule = cutShares({ commit: 0.1, other: 0.01 })
    const accepted: string[] = []
    const { cuts } = fixture.proxy
    // How many come in a time depends on the machine.
    do accepted.push(...(await fixture.loadFor(LOAD_MS)))
    while (cuts.reply <= 3 || cuts.now <= 3 || accepted.length <= 20)
    fixture.proxy.rule = () => null
    await fixture.allIsWell(accepted)
  })

  test('right after a worker committed something, and before its reply: every job ends once, and its webhook comes', async () => {
    let refusals = 0
    // So slowly that some wait for their ticket, and are begun in a statement of their own.
    fixture.receiver.on(RECEIVER_PATH, (response) => {
      setTimeout(() => response.writeHead(refusals++ === 0 ? 503 : 204).end(), SLOW_MS)
    })
    const next = fixture.speech.calls.length
    fixture.speech.answer((_call, nth) => (nth === next ? { status: 400, json: { detail: 'no' } } : {}))
    const rule = cutReplies(COMMITTED_BY_WORKERS)
    fixture.proxy.rule = rule
    const texts = Array.from({ length: SLOW_JOBS }, (_nothing, index) => `cut once, ${index}.`)
    const replies = await Promise.all(texts.map((text) => fixture.submit(text)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]))
    const ids = replies.map((reply) => reply.json<{ job_id: string }>().job_id)
    await until(() => rule.left.size === 0, TIMEOUT_MS, 'all cuts')
    await fixture.allIsWell(ids)
    for (const id of ids) expect(fixture.received().some(({ body }) => body.includes(id))).toBe(true)
  })

  test('right after a batch of completions and one with deliveries was committed, and before its reply: every job ends once, and is charged once', async () => {
    const { pool } = fixture.auditor.db
    gate = Promise.withResolvers()
    fixture.speech.answer(() => ({ until: gate.promise }))
    const rule = cutReplies(BATCHES, LEAST_JOBS)
    fixture.proxy.rule = rule
    const texts = Array.from({ length: SLOW_JOBS }, (_nothing, index) => `cut in a batch, ${index}.`)
    const replies = await Promise.all(texts.map((text, index) => fixture.submit(text, {}, index % 2 === 0)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]))
    const ids = replies.map((reply) => reply.json<{ job_id: string }>().job_id)
    // All slots are taken, and become free in one moment.
    await until(() => fixture.speech.inFlight() === MAX_IN_FLIGHT, TIMEOUT_MS, 'the server to be full')
    gate.resolve()
    await until(() => rule.left.size === 0, TIMEOUT_MS, 'all cuts')
    await fixture.allIsWell(ids)
    const { rows } = await pool.query<{ status: string; files: number; charges: number }>(
      `select status, (select count(*)::int from artifact a where a.job_id = j.id) as files,
         (select count(*)::int from credit_entry e where e.job_id = j.id) as charges
       from job j where id = any($1)`,
      [ids],
    )
    expect(rows).toEqual(ids.map(() => ({ status: 'completed', files: 1, charges: 1 })))
  })

  test.each([
    ['right after several submissions were committed together, and before their reply', 'reply'],
    ['right before several submissions arrive together', 'now'],
  ] as const)(
    '%s: each 202 has its one job, which its key leads to, and is charged and spoken once',
    async (_where, cut) => {
      const batches = cutReplies([INSERT_JOB.name, INSERT_JOB_ONCE.name], LEAST_JOBS)
      fixture.proxy.rule = (bytes, sinceBegin) => batches(bytes, sinceBegin) && cut
      const texts: string[] = []
      const ids: string[] = []
      const isKeyed = (text: string) => texts.indexOf(text) % 2 === 0
      const submit = (text: string) =>
        fixture.submit(text, isKeyed(text) ? { 'idempotency-key': `${cut} ${text}` } : {}, false)
      // How many share a statement depends on the machine.
      do {
        const more = Array.from(
          { length: SLOW_JOBS },
          (_nothing, index) => `${cut} at submission ${texts.length + index}.`,
        )
        texts.push(...more)
        const replies = await Promise.all(more.map(submit))
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]))
        ids.push(...replies.map((reply) => reply.json<{ job_id: string }>().job_id))
      } while (batches.left.size > 0)
      const again = await Promise.all(texts.filter(isKeyed).map(submit))
      expect(
        again.map((reply) => [reply.headers['idempotency-replayed'], reply.json<{ job_id: string }>().job_id]),
      ).toEqual(ids.filter((_id, index) => isKeyed(texts[index]!)).map((id) => ['true', id]))
      await fixture.allIsWell(ids)
      expect(await madeOf(texts)).toEqual(
        texts.map((text, index) => ({ id: ids[index], text, attempt: 1, charges: 1 })),
      )
      expect(timesSpoken(texts)).toEqual(texts.map(() => 1))
    },
  )

  test.each([
    ['with their rows', 2],
    ['without their rows', 1],
  ])(
    'right after a claim of several jobs %s was committed, and before its reply: none is lost, what is under way goes on, and each is charged and spoken once',
    async (how, attempt) => {
      if (how === 'without their rows') await claimApart(fixture.auditor.db.pool)
      // A job's own row names it once more: what is taken without it is claimed by itself later.
      const claims = cutAnswers('claim_queued', LEAST_JOBS, attempt)
      const texts: string[] = []
      const ids: string[] = []
      const submit = async (jobs: number) => {
        const more = Array.from({ length: jobs }, (_nothing, index) => `cut at claim ${how} ${texts.length + index}.`)
        texts.push(...more)
        const replies = await Promise.all(more.map((text) => fixture.submit(text, {}, false)))
        ids.push(...replies.map((reply) => reply.json<{ job_id: string }>().job_id))
      }
      const areSpoken = (jobs: number) =>
        until(() => fixture.speech.inFlight() === jobs, TIMEOUT_MS, `${jobs} jobs at the server`)
      // How many share a claim depends on the machine.
      do {
        fixture.proxy.rule = () => null
        gate = Promise.withResolvers()
        fixture.speech.answer(() => ({ until: gate.promise }))
        await submit(UNDER_WAY)
        await areSpoken(UNDER_WAY)
        fixture.proxy.rule = claims
        await submit(MAX_IN_FLIGHT - UNDER_WAY)
        await areSpoken(MAX_IN_FLIGHT)
        gate.resolve()
        await fixture.allIsWell(ids)
      } while (claims.cut.length === 0)
      const attempts = (id: string) => (claims.cut.includes(id) ? attempt : 1)
      expect(await madeOf(texts)).toEqual(
        texts.map((text, index) => ({ id: ids[index], text, attempt: attempts(ids[index]!), charges: 1 })),
      )
      expect(timesSpoken(texts)).toEqual(texts.map(() => 1))
    },
  )

  test('right after a submission was committed, and before its reply: it is accepted once, and repeated with its key it has the same job', async () => {
    const before = await idsOf()
    const rule = cutReplies([INSERT_JOB_ONCE.name])
    fixture.proxy.rule = rule
    const key = { 'idempotency-key': 'once and no more' }
    const lost = await fixture.submit('cut at its submission.', key)
    expect([lost.status, lost.headers['idempotency-replayed'], rule.left.size]).toEqual([202, undefined, 0])
    const again = await fixture.submit('cut at its submission.', key)
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([202, 'true'])
    const { job_id: id } = again.json<{ job_id: string }>()
    expect((await idsOf()).filter((one) => !before.includes(one))).toEqual([id])
    await fixture.allIsWell([id])
  })

  test('right after a cancellation was committed, and before its reply: asked again, it is cancelled, and refunded once', async () => {
    fixture.speech.answer(() => ({ hang: true }))
    const { job_id: id } = (await fixture.submit('cut at its cancellation.')).json<{ job_id: string }>()
    await until(() => fixture.speech.inFlight() === 1, TIMEOUT_MS, 'the rendering')
    const rule = cutReplies(['JOB_CANCELLED'])
    fixture.proxy.rule = rule
    const cancel = () =>
      ask(fixture.service.url, fixture.service.key, `mutation { cancelJob(jobId: "${id}") { __typename } }`)
    await cancel()
    expect(rule.left.size).toBe(0)
    expect((await cancel()).errors).toBeUndefined()
    await until(() => fixture.speech.inFlight() === 0, TIMEOUT_MS, 'the request to the engine to be ended')
    await fixture.allIsWell([id])
    const { rows } = await fixture.auditor.db.pool.query('select error_code from job where id = $1', [id])
    expect(rows).toEqual([{ error_code: 'JOB_CANCELLED' }])
  })

  test('after all that, the service has the connections and the memory that it had', () => fixture.isAtRestAgain())
})
