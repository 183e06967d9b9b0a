import { afterAll, beforeAll, expect, test } from 'vitest'
import { findJob } from '../../../src/jobs/job.ts'
import { cancelJob } from '../../../src/jobs/lifecycle/cancel-job.ts'
import type { PartTiming } from '../../../src/jobs/live-parts.ts'
import { retryJob } from '../../../src/producers/retry-job.ts'
import { captionsOf } from '../../../src/voice/captions/voice-job-captions.ts'
import { listenToJob } from '../../../src/voice/listen-to-job.ts'
import { appendText, closeText, cutText, type OpenText, openText } from '../../../src/voice/open-text/open-text.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { audit } from '../../setup/audit/audit.ts'
import { allFinished, applyEndpoint } from '../../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { standInEngines } from '../../setup/speech/stand-in-engine.ts'
import { until } from '../../setup/wait.ts'

const FIRST = 'This is the first sentence. '
const SECOND = 'And this is the second one. '

let server: SpeechServer
let service: TestRuntime
beforeAll(async () => {
  server = await startSpeechServer()
  service = await startTestRuntime({ worker: true })
  const engine = { base_url: server.url, max_in_flight: 1, retry_seconds: 1 }
  await applyEndpoint(service.runtime, 'served', engine)
  await applyEndpoint(service.runtime, 'built-in')
})
afterAll(async () => {
  await service?.close()
  await server?.close()
})

async function speaker(credits = 100_000n) {
  const account = await service.createAccount(credits)
  const ctx = { ...service.runtime, actor: { kind: 'account', accountId: account, credits } as const }
  return { ctx, account }
}

type Ctx = Awaited<ReturnType<typeof speaker>>['ctx']

async function hear(ctx: Ctx, { jobId }: OpenText) {
  const parts: PartTiming[] = []
  const signal = new AbortController().signal
  const { blocks, sampleRate, close } = await listenToJob(ctx, {
    jobId,
    signal,
    onPart: (part) => void parts.push(part),
  })
  let samples = 0
  const done = (async () => {
    for await (const block of blocks) samples += block.length
  })()
  done.catch(() => undefined)
  return { parts, sampleRate, done, close, samples: () => samples }
}

interface Row {
  readonly status: string
  readonly text: string
  readonly cost: string
  readonly held: string | null
  readonly error_code: string | null
}

async function rowOf({ jobId }: OpenText): Promise<Row> {
  const { rows } = await service.runtime.db.pool.query<Row>(
    `select status, inputs ->> 'text' as text, cost, held, error_code from job where id = $1`,
    [jobId],
  )
  return rows[0]!
}

async function moneyOf(account: string) {
  const { rows } = await service.runtime.db.pool.query<{ credits: string; held: string }>(
    'select credits, held from account where id = $1',
    [account],
  )
  return { credits: Number(rows[0]!.credits), held: Number(rows[0]!.held) }
}

const input = (slug: string) => ({ slug, inputs: { voice: 'calm' } })

for (const slug of ['built-in', 'served'])
  test(`${slug}: a text is spoken while it is written, as one job that costs its characters`, async () => {
    const { ctx, account } = await speaker()
    let open = await openText(ctx, input(slug), [FIRST])
    const heard = await hear(ctx, open)
    expect(heard.parts.map(({ textEnd }) => textEnd)).toEqual([FIRST.length])
    expect(await rowOf(open)).toMatchObject({ status: 'processing', text: FIRST, cost: String(FIRST.length) })
    expect(await moneyOf(account)).toEqual({ credits: 100_000, held: FIRST.length })
    open = await appendText(ctx, open, [SECOND])
    await until(() => heard.parts.length === 2, 20_000, 'the second part')
    await closeText(ctx, open)
    await heard.done
    await allFinished(service.runtime, [open.jobId])
    const cost = FIRST.length + SECOND.length
    expect(await rowOf(open)).toEqual({
      ...{ status: 'completed', text: FIRST + SECOND, cost: String(cost), held: null, error_code: null },
    })
    expect(await moneyOf(account)).toEqual({ credits: 100_000 - cost, held: 0 })
    const { rows } = await ctx.db.pool.query<{ duration_ms: number }>(
      'select duration_ms from artifact where job_id = $1',
      [open.jobId],
    )
    expect(Math.abs(heard.samples() / heard.sampleRate - rows[0]!.duration_ms / 1000)).toBeLessThan(0.001)
    const words = heard.parts.flatMap((part) => part.words).map(({ start, end }) => (FIRST + SECOND).slice(start, end))
    expect(words.join(' ')).toBe('This is the first sentence And this is the second one')
    expect(await audit(service.runtime, [open.jobId])).toEqual([])
  })

test('a job that waits for text holds no permit and no slot', async () => {
  const { ctx } = await speaker()
  const opens: OpenText[] = []
  for (let count = 0; count < 4; count++) {
    const open = await openText(ctx, input('served'), [FIRST])
    await hear(ctx, open)
    opens.push(open)
  }
  for (const open of opens) await closeText(ctx, open)
  await allFinished(
    service.runtime,
    opens.map(({ jobId }) => jobId),
  )
  expect(await Promise.all(opens.map(async (open) => (await rowOf(open)).status))).toEqual(Array(4).fill('completed'))
})

test('a cut drops what was not sent, and only the rest is charged', async () => {
  const { ctx, account } = await speaker()
  const rest = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith('And') ? { until: rest.promise } : {}))
  let open = await openText(ctx, input('served'), [FIRST])
  const heard = await hear(ctx, open)
  open = await appendText(ctx, open, [SECOND, 'A third one. '])
  await until(() => server.inFlight() > 0, 20_000, 'the second sentence at the server')
  await cutText(ctx, open, heard.parts.at(-1)!.textEnd)
  await allFinished(service.runtime, [open.jobId])
  rest.resolve()
  server.answer(() => ({}))
  expect(await rowOf(open)).toMatchObject({ status: 'completed', text: FIRST, cost: String(FIRST.length), held: null })
  expect(await moneyOf(account)).toEqual({ credits: 100_000 - FIRST.length, held: 0 })
  expect(await audit(service.runtime, [open.jobId])).toEqual([])
})

test('a cut within an element is charged for what was heard', async () => {
  const { ctx, account } = await speaker()
  const rest = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).includes('second') ? { until: rest.promise } : {}))
  await applyEndpoint(
    service.runtime,
    'marked',
    { base_url: server.url, max_in_flight: 1, retry_seconds: 1 },
    { markup: 'ssml', credits_per_character: 2 },
  )
  const text = `<speak>${FIRST}<lang xml:lang="en-US">Well. </lang><lang xml:lang="de-DE">This is the second.</lang></speak>`
  const open = await openText(ctx, input('marked'), [text])
  const heard = await hear(ctx, open)
  await until(() => server.inFlight() > 0, 20_000, 'the second stretch at the server')
  const end = heard.parts.at(-1)!.textEnd
  await cutText(ctx, open, end)
  await allFinished(service.runtime, [open.jobId])
  rest.resolve()
  server.answer(() => ({}))
  const kept = text.slice(0, end)
  expect(kept).toMatch(/Well\. ?$/)
  const cost = 2 * kept.replace(/<[^<>]*>/g, '').length
  expect(await rowOf(open)).toMatchObject({ status: 'completed', cost: String(cost), held: null })
  expect(await moneyOf(account)).toEqual({ credits: 100_000 - cost, held: 0 })
})

test('a worker that finds a text cut within an element speaks what is left of it, and so does a retry', async () => {
  const own = await startTestRuntime()
  await applyEndpoint(own.runtime, 'marked', {}, { markup: 'ssml' })
  const accountId = await own.createAccount()
  const ctx = { ...own.runtime, actor: { kind: 'account', accountId, credits: 1000n } as const }
  const text = `<speak>${FIRST}<lang xml:lang="en-US">Well. ${SECOND}</lang></speak>`
  const opened = await Promise.all([1, 2].map(() => openText(ctx, input('marked'), [text])))
  for (const open of opened) await cutText(ctx, open, text.indexOf(SECOND))
  const [taken, cancelled] = opened.map(({ jobId }) => jobId) as [string, string]
  await cancelJob(ctx, { jobId: cancelled })
  const retried = (await retryJob(ctx, { jobId: cancelled })).jobId
  const spoken: string[] = []
  const worker = await startWorker(own.runtime, { engines: standInEngines(({ text: said }) => void spoken.push(said)) })
  try {
    await allFinished(own.runtime, [taken, retried])
    const { rows } = await own.runtime.db.pool.query<{ status: string; cost: string }>(
      'select status, cost from job where id = any($1)',
      [[taken, retried]],
    )
    const cost = String(`${FIRST}Well. `.length)
    expect(rows).toEqual([1, 2].map(() => ({ status: 'completed', cost })))
    expect(spoken.join(' ')).toContain('Well.')
    expect(spoken.join(' ')).not.toContain('second')
    const captions = await captionsOf(own.runtime, (await findJob(own.runtime.db.pool, taken, accountId))!, 'srt')
    expect(captions.content).toContain('Well.')
    expect(captions.content).not.toContain('<lang')
  } finally {
    await worker.stop()
    await own.close()
  }
})

test('a cut holds although the endpoint is gone', async () => {
  const { ctx, account } = await speaker()
  const rest = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith('And') ? { until: rest.promise } : {}))
  await applyEndpoint(service.runtime, 'leaving', { base_url: server.url, max_in_flight: 1, retry_seconds: 1 })
  let open = await openText(ctx, input('leaving'), [FIRST])
  await hear(ctx, open)
  open = await appendText(ctx, open, [SECOND])
  await until(() => server.inFlight() > 0, 20_000, 'the second sentence at the server')
  await applyEndpoint(
    service.runtime,
    'leaving',
    { base_url: server.url, max_in_flight: 1, retry_seconds: 1 },
    { published: false },
  )
  await cutText(ctx, open, FIRST.length)
  await allFinished(service.runtime, [open.jobId])
  rest.resolve()
  server.answer(() => ({}))
  expect(await moneyOf(account)).toEqual({ credits: 100_000 - FIRST.length, held: 0 })
})

test('a text of which nothing was sent is free', async () => {
  const { ctx, account } = await speaker()
  const open = await openText(ctx, input('served'), [FIRST])
  await cutText(ctx, open, 0)
  expect(await rowOf(open)).toMatchObject({ status: 'failed', error_code: 'JOB_CANCELLED', held: null })
  expect(await moneyOf(account)).toEqual({ credits: 100_000, held: 0 })
})

test('a cancelled job takes no text and holds no credits', async () => {
  const { ctx, account } = await speaker()
  const open = await openText(ctx, input('built-in'), [FIRST])
  await (await hear(ctx, open)).close?.()
  await cancelJob(ctx, { jobId: open.jobId })
  await expect(appendText(ctx, open, [SECOND])).rejects.toMatchObject({ code: 'JOB_CANCELLED' })
  expect(await moneyOf(account)).toEqual({ credits: 100_000, held: 0 })
  expect(await audit(service.runtime, [open.jobId])).toEqual([])
})

test('a text never costs more than the account has, and held credits buy nothing else', async () => {
  const { ctx, account } = await speaker(BigInt(FIRST.length + 5))
  const open = await openText(ctx, input('built-in'), [FIRST])
  await hear(ctx, open)
  await expect(appendText(ctx, open, [SECOND])).rejects.toMatchObject({ code: 'PAYMENT_REQUIRED' })
  const other = await openText(ctx, input('built-in'), ['Seven words. '])
  await allFinished(service.runtime, [other.jobId])
  expect(await rowOf(other)).toMatchObject({ status: 'failed', error_code: 'CHARGE_FAILED' })
  await closeText(ctx, open)
  await allFinished(service.runtime, [open.jobId])
  expect(await moneyOf(account)).toEqual({ credits: 5, held: 0 })
  expect(await audit(service.runtime, [open.jobId, other.jobId])).toEqual([])
})

test('a text that grows counts against the monthly limit, and what is cut counts no more', async () => {
  const { ctx, account } = await speaker()
  const { pool } = ctx.db
  await pool.query('update account set monthly_limit = $2 where id = $1', [account, FIRST.length + SECOND.length])
  const used = async () => {
    const { rows } = await pool.query<{ credits: string }>(
      'select sum(credits) as credits from monthly_usage where owner_id = $1',
      [account],
    )
    return Number(rows[0]?.credits ?? 0)
  }
  let open = await openText(ctx, input('served'), [FIRST])
  const heard = await hear(ctx, open)
  open = await appendText(ctx, open, [SECOND])
  await expect(appendText(ctx, open, ['More. '])).rejects.toMatchObject({ code: 'PAYMENT_REQUIRED' })
  expect(await used()).toBe(FIRST.length + SECOND.length)
  await cutText(ctx, open, FIRST.length)
  heard.close?.()
  await allFinished(service.runtime, [open.jobId])
  expect(await used()).toBe(FIRST.length)
  expect(await audit(service.runtime, [open.jobId])).toEqual([])
})

test('a text that its writer left open ends by itself, with what it has', async () => {
  const { ctx } = await speaker()
  const open = await openText(ctx, input('built-in'), [FIRST])
  const heard = await hear(ctx, open)
  await ctx.db.pool.query(`update job set open_until = now() where id = $1`, [open.jobId])
  ctx.textWaits.wake(open.jobId)
  await heard.done
  expect(await rowOf(open)).toMatchObject({ status: 'completed', text: FIRST })
  await expect(appendText(ctx, open, [SECOND])).rejects.toMatchObject({ code: 'JOB_TIMEOUT' })
})

test('pieces that were appended twice are spoken once', async () => {
  const { ctx } = await speaker()
  const open = await openText(ctx, input('built-in'), [FIRST])
  const once = await appendText(ctx, open, [SECOND])
  expect(await appendText(ctx, open, [SECOND])).toEqual(once)
  await closeText(ctx, once)
  await allFinished(service.runtime, [open.jobId])
  expect(await rowOf(open)).toMatchObject({ status: 'completed', text: FIRST + SECOND })
})
