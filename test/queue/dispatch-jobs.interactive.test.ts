import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cancelJob } from '../../src/jobs/lifecycle/cancel-job.ts'
import { audit } from '../setup/audit/audit.ts'
import { call } from '../setup/http.ts'
import { allFinished, applyEndpoint, submitText } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { mutation, read } from '../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000
const LONG_JOBS = 12
const SENTENCE = 'The train leaves at half past nine, and nobody waits for those who are late. '
/** Two chunks, as a listener wants to hear the first one soon. */
const spokenAt = (where: string): string =>
  `${where}, please mind the gap between the train and the platform, and stand clear of the doors. Thank you for your time.`
const INPUTS = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'voice'],
  properties: { text: { type: 'string', maxLength: 10_000 }, voice: { type: 'string' } },
}
const LIVE = mutation(
  'submitVoiceJob(slug: $slug, inputs: $inputs, live: true)',
  '... on VoiceJobSubmission { jobId }',
  '($slug: String!, $inputs: JSON!)',
)

interface Caller {
  readonly account: string
  readonly key: string
}

describe('an interactive job', { timeout: 240_000 }, () => {
  let service: TestRuntime
  let server: SpeechServer
  /** Requests that the server holds back, in their order. */
  let held: { readonly text: string; readonly answer: () => void }[]
  beforeAll(async () => {
    service = await startTestRuntime({ worker: true })
  })
  afterAll(() => service.close())
  beforeEach(async () => {
    server = await startSpeechServer()
    held = []
    server.answer(({ body }) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.push({ text: String(body.input), answer: resolve })
      return { until: promise }
    })
  })
  afterEach(() => server.close())

  const apply = (slug: string, engine: object) =>
    applyEndpoint(service.runtime, slug, { pool: slug, ...engine }, { inputs: INPUTS, openai: { models: [slug] } })
  const submitLong = async (slug: string, { key }: Caller, characters: number, count = LONG_JOBS) => {
    const text = SENTENCE.repeat(Math.ceil(characters / SENTENCE.length)).slice(0, characters)
    return Promise.all(Array.from({ length: count }, () => submitText(service.url, key, slug, text)))
  }
  const submitLive = async (slug: string, { key }: Caller, text: string) => {
    const variables = { slug, inputs: { text, voice: 'calm' } }
    return (await read<{ submitVoiceJob: { jobId: string } }>(service.url, key, LIVE, variables)).submitVoiceJob.jobId
  }
  const speak = (slug: string, { key }: Caller, input: string) =>
    call(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      key,
      body: { model: slug, input, voice: 'calm', response_format: 'wav' },
    })
  const row = async <Row extends object>(text: string, values: unknown[]) =>
    (await service.runtime.db.pool.query<Row>(text, values)).rows[0]!
  /** Once the progress of a job is written, its first chunks wait in the engine. */
  const untilWaiting = (texts: readonly string[]) =>
    until(
      async () => {
        const counted = `select count(*)::integer as n from job where inputs->>'text' = any($1) and chunks_total is not null`
        return (await row<{ n: number }>(counted, [texts])).n === texts.length
      },
      TIMEOUT_MS,
      'the interactive jobs to be taken',
    )
  const untilHeld = (count: number) => until(() => held.length === count, TIMEOUT_MS, `${count} requests`)
  const isLong = (text: string) => SENTENCE.repeat(9).includes(text.trim().slice(0, 60))
  /** Answers the earliest request and waits for the one that takes its place. */
  const step = async (): Promise<string> => {
    const sent = server.calls.length
    held.shift()!.answer()
    await until(() => server.calls.length > sent, TIMEOUT_MS, 'the next request')
    return String(server.calls[sent]!.body.input)
  }
  /** Twelve long texts take a minute. */
  const cancelRest = async (ids: readonly string[]) => {
    for (const jobId of ids) await cancelJob(service.runtime.as({ kind: 'system' }), { jobId })
    await allFinished(service.runtime, ids)
  }
  const answerAll = () => {
    server.answer(() => ({}))
    for (const { answer } of held) answer()
  }

  test.each([1, 2])('waits for one chunk of 12 long jobs, at a server with max_in_flight %i', async (limit) => {
    const slug = `one-${limit}`
    await apply(slug, { base_url: server.url, max_in_flight: limit })
    const caller = await service.createCaller(1_000_000n)
    const ids = await submitLong(slug, caller, 1500)
    await untilHeld(limit)
    const spoken = spokenAt(`At platform ${limit}`)
    const speech = speak(slug, caller, spoken)
    await untilWaiting([spoken])
    expect([spoken.includes(await step()), spoken.includes(await step())]).toEqual([true, true])
    expect(server.mostInFlight()).toBe(limit)
    await cancelRest(ids)
    answerAll()
    const { status, bytes } = await speech
    expect([status, bytes.subarray(0, 4).toString()]).toEqual([200, 'RIFF'])
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('leaves a quarter of the chunks to the others, and accounts take turns', async () => {
    const slug = 'flood'
    await apply(slug, { base_url: server.url, max_in_flight: 2 })
    const [one, other, quiet] = [
      await service.createCaller(1_000_000n),
      await service.createCaller(1_000_000n),
      await service.createCaller(1_000_000n),
    ]
    const ids = await submitLong(slug, quiet, 1500, 4)
    await untilHeld(2)
    const [mine, theirs] = ['One. ', 'Other. '].map((name) => `${name}${`${name}says more and more. `.repeat(90)}`)
    ids.push(...(await Promise.all([submitLive(slug, one, mine!), submitLive(slug, other, theirs!)])))
    await untilWaiting([mine!, theirs!])
    const next: string[] = []
    for (let n = 0; n < 16; n++) {
      const text = await step()
      next.push(isLong(text) ? '-' : text.includes('One') ? 'A' : 'B')
    }
    const quarters = Array.from({ length: 4 }, (_, at) => next.slice(4 * at, 4 * at + 4))
    expect(quarters.map((quarter) => quarter.filter((name) => name === '-').length)).toEqual([1, 1, 1, 1])
    const turns = next.filter((name) => name !== '-').join('')
    expect(turns).toMatch(/^(AB)+$|^(BA)+$/)
    expect(server.mostInFlight()).toBe(2)
    await cancelRest(ids)
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('waits for one chunk of an interactive job that is heard already', async () => {
    const slug = 'heard'
    await apply(slug, { base_url: server.url, max_in_flight: 1 })
    const [one, other] = [await service.createCaller(1_000_000n), await service.createCaller(1_000_000n)]
    const ids = [await submitLive(slug, one, SENTENCE.repeat(20))]
    await untilHeld(1)
    await step()
    const spoken = spokenAt('At the next gate')
    ids.push(await submitLive(slug, other, spoken))
    await untilWaiting([spoken])
    expect(spoken).toContain(await step())
    expect(server.mostInFlight()).toBe(1)
    await cancelRest(ids.slice(0, 1))
    answerAll()
    await allFinished(service.runtime, ids)
    expect(await audit(service.runtime, ids)).toEqual([])
  })

  test('is taken while interactive jobs have a slot, and so are the others: neither holds the other up', async () => {
    const slug = 'both'
    await apply(slug, { base_url: server.url, max_in_flight: 1 })
    const caller = await service.createCaller(1_000_000n)
    const live = [await submitLive(slug, caller, spokenAt('First'))]
    await untilHeld(1)
    for (let n = 0; n < 3; n++) live.push(await submitLive(slug, caller, spokenAt(`Gate ${n}`)))
    const ids = await submitLong(slug, caller, 900, 3)
    const started = async () =>
      (
        await row<{ n: number }>(
          `select count(*)::integer as n from job where id = any($1) and status = 'processing'`,
          [ids],
        )
      ).n === 1
    await until(started, TIMEOUT_MS, 'a batch job to be taken')
    answerAll()
    await allFinished(service.runtime, [...live, ...ids])
    expect(server.mostInFlight()).toBe(1)
    expect(await audit(service.runtime, [...live, ...ids])).toEqual([])
  })

  test('is spoken by the built-in engine before any of 12 long jobs that came earlier has ended', async () => {
    const slug = 'built-in'
    await apply(slug, { kind: 'espeak' })
    const caller = await service.createCaller(1_000_000n)
    // The engine's threads have started.
    expect((await speak(slug, caller, spokenAt('Before'))).status).toBe(200)
    const ids = await submitLong(slug, caller, 6000)
    const count = async (condition: string) =>
      (await row<{ n: number }>(`select count(*)::integer as n from job where id = any($1) and ${condition}`, [ids])).n
    await until(async () => (await count('chunks_done > 0')) > 0, TIMEOUT_MS, 'the first chunk')
    expect((await speak(slug, caller, spokenAt('Meanwhile'))).status).toBe(200)
    expect(await count(`status = 'completed'`)).toBe(0)
    expect(await count(`status = 'processing'`)).toBeGreaterThan(1)
    await cancelRest(ids)
    expect(await audit(service.runtime, ids)).toEqual([])
  })
})
