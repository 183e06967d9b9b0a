import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { audit } from '../setup/audit/audit.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { type Answer, talk } from '../setup/service/talker.ts'
import { until } from '../setup/wait.ts'

const FIRST = 'This is the first sentence. '
const SECOND = 'And this is the second one. '
const THIRD = 'The third comes last. '

let server: SpeechServer
let service: TestRuntime
beforeAll(async () => {
  server = await startSpeechServer()
  service = await startTestRuntime({ worker: true, env: { LOG_LEVEL: 'warn' } })
  await applyEndpoint(service.runtime, 'served', { base_url: server.url, max_in_flight: 4, retry_seconds: 1 })
  await applyEndpoint(service.runtime, 'built-in')
})
afterAll(async () => {
  await service?.close()
  await server?.close()
})

interface Row {
  readonly id: string
  readonly status: string
  readonly text: string
  readonly cost: number
  readonly error_code: string | null
}

async function jobsOf(account: string): Promise<Row[]> {
  const { rows } = await service.runtime.db.pool.query<Row>(
    `select id, status, inputs ->> 'text' as text, cost::int as cost, error_code from job where account_id = $1 order by id`,
    [account],
  )
  return rows
}

async function moneyOf(account: string) {
  const { rows } = await service.runtime.db.pool.query<{ credits: number; held: number }>(
    'select credits::int as credits, held::int as held from account where id = $1',
    [account],
  )
  return rows[0]!
}

const ended = (account: string, count: number) =>
  until(
    async () => (await jobsOf(account)).filter(({ status }) => /completed|failed/.test(status)).length === count,
    20_000,
    'the ends',
  )

const finals = (answers: readonly Answer[]) => answers.filter(({ isFinal }) => isFinal === true)

for (const slug of ['served', 'built-in'])
  test(`${slug}: sentences are heard before the text is written to its end, each with its times, as one job`, async () => {
    const { key, account } = await service.createCaller(10_000n)
    const talker = await talk(service.url, `${slug}:calm/stream-input?output_format=pcm_24000`, key)
    talker.send({ text: ' ', voice_settings: { speed: 1 } }, { text: 'This is the ' }, { text: 'first sentence. ' })
    await talker.seen('the first sentence', () => talker.spoken() === ` ${FIRST}`)
    expect((await jobsOf(account)).map(({ status }) => status)).toEqual(['processing'])
    talker.send({ text: 'And this is Dr. Smith. ' }, { text: THIRD })
    await talker.seen('the third sentence', () => talker.spoken().endsWith(THIRD))
    expect(finals(talker.answers)).toEqual([])
    talker.send({ text: '' })
    expect(await talker.closed).toBe(1000)
    expect(talker.answers.at(-1)).toEqual({ isFinal: true })
    const text = ` ${FIRST}And this is Dr. Smith. ${THIRD}`
    expect(talker.spoken()).toBe(text)
    for (const { alignment } of talker.answers) {
      if (alignment == null) continue
      const { chars, charStartTimesMs: starts, charsDurationsMs: durations } = alignment
      expect([starts.length, durations.length]).toEqual([chars.length, chars.length])
      expect(starts).toEqual([...starts].sort((one, other) => one - other))
    }
    const [job, ...more] = await jobsOf(account)
    expect(more).toEqual([])
    expect(job).toMatchObject({ status: 'completed', text, cost: text.length })
    expect(await moneyOf(account)).toEqual({ credits: 10_000 - text.length, held: 0 })
    const { rows } = await service.runtime.db.pool.query<{ duration_ms: number }>(
      'select duration_ms from artifact where job_id = $1',
      [job!.id],
    )
    expect(talker.audio().length / 2 / 24_000).toBeCloseTo(rows[0]!.duration_ms / 1000, 1)
    expect(await audit(service.runtime, [job!.id])).toEqual([])
  })

test('a flush speaks what is not complete, and auto_mode every message', async () => {
  const { key } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_16000', key)
  talker.send({ text: ' ' }, { text: 'No end yet' })
  talker.send({ text: ' but now', flush: true })
  await talker.seen('what was flushed', () => talker.spoken() === ' No end yet but now')
  const other = await talk(service.url, 'served:calm/stream-input?auto_mode=true&output_format=ulaw_8000', key)
  other.send({ text: 'Only a phrase ' })
  await other.seen('the phrase', () => other.spoken() === 'Only a phrase ')
  for (const one of [talker, other]) one.send({ text: '' })
  expect(await Promise.all([talker.closed, other.closed])).toEqual([1000, 1000])
})

test('a short sentence of pcm comes in one message', async () => {
  const { key } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST }, { text: '' })
  expect(await talker.closed).toBe(1000)
  expect(talker.audio().length).toBeGreaterThan(2 * 2 * 8192)
  expect(talker.answers.filter(({ audio }) => audio)).toHaveLength(1)
})

test.each(['mp3_44100_128', 'opus_48000_64', 'pcm_8000', 'pcm_48000', 'alaw_8000'])('%s is sent', async (format) => {
  const { key } = await service.createCaller()
  const talker = await talk(service.url, `served:calm/stream-input?output_format=${format}`, key)
  talker.send({ text: FIRST }, { text: '' })
  expect(await talker.closed).toBe(1000)
  expect(talker.audio().length).toBeGreaterThan(1000)
})

test('several contexts of one connection are spoken at once, and one of them ends without the others', async () => {
  const { key, account } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/multi-stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST, context_id: 'a' }, { text: SECOND, context_id: 'b' }, { text: '', context_id: 'a' })
  await talker.seen('both', () => talker.spoken('a') === FIRST && talker.spoken('b') === SECOND)
  talker.send({ text: 'Bye', context_id: 'a', flush: true }, { context_id: 'a', close_context: true })
  await talker.seen('the end of a', (answers) => finals(answers).length === 1)
  expect(finals(talker.answers)).toEqual([{ isFinal: true, contextId: 'a' }])
  talker.send({ text: THIRD, context_id: 'b' })
  await talker.seen('more of b', () => talker.spoken('b') === SECOND + THIRD)
  talker.send({ close_socket: true })
  expect(await talker.closed).toBe(1000)
  expect(finals(talker.answers).map(({ contextId }) => contextId)).toEqual(['a', 'b'])
  expect((await jobsOf(account)).map(({ text }) => text).sort()).toEqual([SECOND + THIRD, `${FIRST}Bye`])
})

test('a cleared context is charged for what was sent, and says at once that it is over', async () => {
  const { key, account } = await service.createCaller(10_000n)
  const held = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith('And') ? { until: held.promise } : {}))
  const talker = await talk(service.url, 'served:calm/multi-stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST, context_id: 'a' }, { text: SECOND, context_id: 'a' }, { text: THIRD, context_id: 'a' })
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  await until(async () => server.inFlight() > 0, 20_000, 'the second sentence at the server')
  talker.send({ clear: true, context_id: 'a' })
  await talker.seen('the end', (answers) => finals(answers).length === 1)
  await ended(account, 1)
  held.resolve()
  server.answer(() => ({}))
  expect(await jobsOf(account)).toMatchObject([{ status: 'completed', text: FIRST, cost: FIRST.length }])
  expect(await moneyOf(account)).toEqual({ credits: 10_000 - FIRST.length, held: 0 })
  talker.send({ text: SECOND, context_id: 'b' })
  await talker.seen('the next context', () => talker.spoken('b') === SECOND)
  talker.socket.close()
})

test.each([
  ['multi-stream-input', { context_id: 'a', close_context: true }],
  ['stream-input', { text: '' }],
])('%s: a listener interrupts a text that is written to its end as well', async (path, end) => {
  const { key, account } = await service.createCaller(10_000n)
  const held = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith('And') ? { until: held.promise } : {}))
  const talker = await talk(service.url, `served:calm/${path}?output_format=pcm_24000`, key)
  talker.send({ text: FIRST, context_id: 'a' }, { text: SECOND, context_id: 'a' }, end)
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  await until(async () => server.inFlight() > 0, 20_000, 'the second sentence at the server')
  talker.send({ clear: true, context_id: 'a' })
  await talker.seen('the end', (answers) => finals(answers).length === 1)
  await ended(account, 1)
  held.resolve()
  server.answer(() => ({}))
  expect(await jobsOf(account)).toMatchObject([{ status: 'completed', text: FIRST, cost: FIRST.length }])
  talker.socket.close()
})

test('a client that hangs up pays for what it was sent, and nothing runs on', async () => {
  const { key, account } = await service.createCaller(10_000n)
  const held = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith('And') ? { until: held.promise } : {}))
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST }, { text: SECOND })
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  await until(async () => server.inFlight() > 0, 20_000, 'the second sentence at the server')
  talker.socket.terminate()
  await ended(account, 1)
  await until(async () => server.inFlight() === 0, 20_000, 'the request to be given up')
  held.resolve()
  server.answer(() => ({}))
  expect(await jobsOf(account)).toMatchObject([{ status: 'completed', text: FIRST, cost: FIRST.length }])
  expect(
    await audit(
      service.runtime,
      (await jobsOf(account)).map(({ id }) => id),
    ),
  ).toEqual([])
})

test('a text that nobody continues is spoken to its end, and the connection closes', async () => {
  const { key, account } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/stream-input?inactivity_timeout=1&output_format=pcm_24000', key)
  talker.send({ text: `${FIRST}And a rest` })
  await talker.closed
  expect(talker.spoken()).toBe(`${FIRST}And a rest`)
  expect(await jobsOf(account)).toMatchObject([{ status: 'completed' }])
  const idle = await talk(service.url, 'served:calm/multi-stream-input?inactivity_timeout=1', key)
  idle.send({ text: '', context_id: 'a' })
  expect(await idle.closed).toBe(1008)
  expect(idle.answers).toMatchObject([{ error: 'input_timeout_exceeded', code: 1008 }])
})

test('a key that is deleted ends its connections, and what they speak', async () => {
  const { key, keyId, account } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST })
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  await service.runtime.db.pool.query('delete from api_key where id = $1', [keyId])
  expect(await talker.closed).toBe(1008)
  expect(talker.answers.at(-1)).toMatchObject({ error: 'invalid_api_key' })
  await ended(account, 1)
})

test('a connection that opens with a wrong key is refused before it sends anything', async () => {
  const talker = await talk(service.url, 'served:calm/stream-input', 'sk_wrong')
  expect(await talker.closed).toBe(1008)
  expect(talker.answers).toMatchObject([{ error: 'invalid_api_key', code: 1008 }])
})

test('the key may come in the first message, or as a bearer', async () => {
  const { key } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', null)
  talker.send({ text: ' ', xi_api_key: key }, { text: FIRST }, { text: '' })
  expect(await talker.closed).toBe(1000)
  const other = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', null)
  other.send({ text: FIRST, authorization: `Bearer ${key}` }, { text: '' })
  expect(await other.closed).toBe(1000)
  expect(other.spoken()).toBe(FIRST)
})

test.each([
  ['served:calm/stream-input', [{ text: ' ', xi_api_key: 'sk_wrong' }], 'invalid_api_key', 1008],
  ['served:nobody/stream-input', [{ text: FIRST }], 'voice_not_found', 1008],
  ['calm/stream-input?model_id=nothing', [{ text: FIRST }], 'model_not_found', 1008],
  ['served:calm/stream-input?output_format=wav_24000', [{ text: FIRST }], 'invalid_request', 1008],
  ['served:calm/stream-input?output_format=gsm', [{ text: FIRST }], 'invalid_request', 1008],
  ['served:calm/stream-input?inactivity_timeout=181', [{ text: FIRST }], 'invalid_request', 1008],
  ['served:calm/stream-input', [{ text: 5 }], 'invalid_request', 1008],
  ['served:calm/stream-input', ['[]'], 'invalid_request', 1008],
  ['served:calm/stream-input', ['{"text":'], 'invalid_request', 1008],
  ['served:calm/stream-input', [Buffer.from([1, 2, 3])], 'invalid_request', 1003],
  ['served:calm/multi-stream-input', [{ text: FIRST, context_id: 'x'.repeat(101) }], 'invalid_request', 1008],
] as const)('%s with %j is refused as %s', async (path, messages, error, code) => {
  const { key, account } = await service.createCaller()
  const isForeign = messages.some((message) => typeof message === 'object' && 'xi_api_key' in message)
  const talker = await talk(service.url, path, isForeign ? null : key)
  talker.send(...messages)
  expect(await talker.closed).toBe(code)
  expect(talker.answers).toMatchObject([{ error, code }])
  expect(await jobsOf(account)).toEqual([])
})

test.each([
  ['spaces', ' '.repeat(600)],
  ['a markup that stays open', `[${'Hello there. '.repeat(40)}`],
])('%s beyond the limit of a text are refused, although nothing of them is complete', async (_what, text) => {
  const { key, account } = await service.createCaller()
  await applyEndpoint(service.runtime, 'marked', {}, { markup: 'pauses' })
  const talker = await talk(service.url, 'marked:calm/stream-input', key)
  talker.send({ text: text.slice(0, 400) }, { text: text.slice(400) })
  expect(await talker.closed).toBe(1008)
  expect(talker.answers).toMatchObject([{ error: 'invalid_request' }])
  expect(await jobsOf(account)).toEqual([])
})

test('a context that does not begin, or whose first sentence fails, leaves the others and is told once', async () => {
  const { key } = await service.createCaller(BigInt(2 * FIRST.length))
  const talker = await talk(service.url, 'served:calm/multi-stream-input?output_format=pcm_24000', key)
  const refused = (id: string) =>
    talker.answers.filter(({ error, contextId }) => error !== undefined && contextId === id)
  talker.send({ text: FIRST, context_id: 'a' })
  await talker.seen('the first sentence', () => talker.spoken('a') === FIRST)
  talker.send({ text: FIRST, context_id: 'b', voice_settings: 5 })
  talker.send({ text: `${'long '.repeat(120)}. `, context_id: 'c' })
  talker.send({ text: FIRST, context_id: 'a' })
  await talker.seen('more of the first context', () => talker.spoken('a') === FIRST + FIRST)
  expect(['b', 'c'].map((id) => refused(id).length)).toEqual([1, 1])
  talker.send({ close_socket: true })
  expect(await talker.closed).toBe(1000)
})

test('a text behind the end of its context begins another one', async () => {
  const { key, account } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/multi-stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST, context_id: 'a' }, { context_id: 'a', close_context: true })
  talker.send({ text: SECOND, context_id: 'a' }, { context_id: 'a', clear: true })
  talker.send({ text: THIRD, context_id: 'a' }, { close_socket: true })
  expect(await talker.closed).toBe(1000)
  expect(talker.spoken('a')).toContain(THIRD)
  expect(talker.spoken('a')).toContain(FIRST)
  await ended(account, 3)
  expect((await jobsOf(account)).map(({ text }) => text)).toEqual([FIRST, SECOND, THIRD])
})

test('a text behind the end of its connection is refused, and what was said before is heard', async () => {
  const { key } = await service.createCaller()
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST }, { text: '' }, { text: SECOND })
  expect(await talker.closed).toBe(1000)
  expect(talker.spoken()).toBe(FIRST)
  expect(talker.answers.filter(({ error }) => error === 'invalid_request')).toHaveLength(1)
})

test('a client that hangs up while its text begins leaves no job', async () => {
  const { key, account } = await service.createCaller()
  const talkers = await Promise.all(
    Array.from({ length: 10 }, () => talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', key)),
  )
  for (const talker of talkers) {
    talker.send({ text: FIRST })
    talker.socket.terminate()
  }
  await until(async () => (await openSockets()) === 0, 20_000, 'all sockets to be gone')
  expect((await jobsOf(account)).filter(({ status }) => status === 'completed')).toEqual([])
})

test('a connection that fails is charged for what was sent before, although its client does not answer', async () => {
  const { key, account } = await service.createCaller(10_000n)
  const held = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith('And') ? { until: held.promise } : {}))
  const talker = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST }, { text: SECOND })
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  await until(async () => server.inFlight() > 0, 20_000, 'the second sentence at the server')
  talker.socket.pause()
  talker.send('{"broken')
  await ended(account, 1)
  held.resolve()
  server.answer(() => ({}))
  talker.socket.resume()
  expect(await talker.closed).toBe(1008)
  expect(await jobsOf(account)).toMatchObject([{ text: FIRST, cost: FIRST.length }])
})

test('a context that cannot be paid is refused, and nothing of it is charged beyond what was spoken', async () => {
  const { key, account } = await service.createCaller(BigInt(FIRST.length + 3))
  const talker = await talk(service.url, 'served:calm/multi-stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST, context_id: 'a' })
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  talker.send({ text: SECOND, context_id: 'a' })
  await talker.seen('the refusal', (answers) => answers.some(({ error }) => error === 'quota_exceeded'))
  await ended(account, 1)
  expect(await moneyOf(account)).toEqual({ credits: 3, held: 0 })
  talker.socket.close()
})

test('a handshake that is none, and a plain request, are answered in its shape', async () => {
  const { key } = await service.createCaller()
  const reply = await fetch(`${service.url}/v1/text-to-speech/calm/stream-input`, { headers: { 'xi-api-key': key } })
  expect(reply.status).toBe(422)
  expect(await reply.json()).toHaveProperty('detail')
})

test('an answer that takes long to read holds up its own speech, and no other', async () => {
  const { key } = await service.createCaller()
  const slow = await talk(service.url, 'served:calm/stream-input?output_format=pcm_48000', key)
  slow.socket.pause()
  slow.send(
    ...Array.from({ length: 30 }, (_, index) => ({ text: `Sentence ${index} of a long text that nobody reads. ` })),
  )
  const other = await talk(service.url, 'served:calm/stream-input?output_format=pcm_24000', key)
  other.send({ text: FIRST }, { text: '' })
  expect(await other.closed).toBe(1000)
  slow.socket.terminate()
})

test('garbage leaves no job, context or connection behind', async () => {
  const { key, account } = await service.createCaller()
  const before = await openSockets()
  for (let round = 0; round < 30; round++) {
    const kind = round % 2 === 0 ? 'stream-input' : 'multi-stream-input'
    const talker = await talk(service.url, `served:calm/${kind}`, round % 3 === 0 ? null : key)
    talker.send({ text: 'half of a sen' })
    if (round % 5 === 0) talker.send(Buffer.from([0, 255]))
    if (round % 5 === 1) talker.send('{"text": "hal')
    if (round % 5 === 2) talker.send({ context_id: 7, text: {} })
    if (round % 5 === 3) talker.send({ close_context: true, context_id: 'never' }, { clear: true, context_id: 'never' })
    talker.socket.terminate()
    await talker.closed
  }
  await until(async () => (await openSockets()) <= before, 20_000, 'all sockets to be gone')
  expect(await jobsOf(account)).toEqual([])
  expect(await moneyOf(account)).toMatchObject({ held: 0 })
})

const openSockets = () =>
  new Promise<number>((resolve, reject) =>
    service.app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

test('a service that stops says so, and has cut what was not sent', async () => {
  const held = Promise.withResolvers<void>()
  server.answer(({ body }) => (String(body.input).startsWith('And') ? { until: held.promise } : {}))
  const own = await startTestRuntime({ worker: true })
  await applyEndpoint(own.runtime, 'served', { base_url: server.url, max_in_flight: 4, retry_seconds: 1 })
  const { key } = await own.createCaller()
  const talker = await talk(own.url, 'served:calm/stream-input?output_format=pcm_24000', key)
  talker.send({ text: FIRST }, { text: SECOND })
  await talker.seen('the first sentence', () => talker.spoken() === FIRST)
  await until(async () => server.inFlight() > 0, 20_000, 'the second sentence at the server')
  const closing = own.app.close()
  expect([1001, 1013]).toContain(await talker.closed)
  await closing
  const { rows } = await own.runtime.db.pool.query(`select inputs ->> 'text' as text from job`)
  expect(rows).toEqual([{ text: FIRST }])
  held.resolve()
  server.answer(() => ({}))
  await own.close()
  expect(talker.socket.readyState).toBe(WebSocket.CLOSED)
})
