import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { AudioBusy } from '../../src/audio/audio-shares.ts'
import { PCM_RATE } from '../../src/audio/format.ts'
import { type Wav, writeWav } from '../../src/audio/wav.ts'
import { deleteEndpoint } from '../../src/catalog/change-catalog.ts'
import { OPENAI_VOICES } from '../../src/openai/delivery.ts'
import { audit } from '../setup/audit/audit.ts'
import { call } from '../setup/http.ts'
import { allFinished, applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { fileProblems } from '../setup/speech/file-problems.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'
import { samplesOf } from '../setup/speech/sound.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 30_000
const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(12)

let service: TestRuntime
let server: SpeechServer
let [key, account] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  server = await startSpeechServer()
  await applyEndpoint(service.runtime, 'gpu', engineAt(server), {
    openai: { models: ['loud'], voices: { alloy: 'calm' } },
    inputs: longInputs(),
  })
  await applyEndpoint(service.runtime, 'secret', {}, { required_scope: 'voice:studio', openai: { models: ['tts-2'] } })
  const caller = await service.createCaller()
  key = caller.key
  account = caller.account
})
beforeEach(() => server.answer(() => ({})))
afterAll(async () => {
  await service.close()
  await server.close()
})

const engineAt = ({ url }: SpeechServer) => ({
  ...{ kind: 'openai-speech', base_url: url, model: 'm', max_in_flight: 2, retry_seconds: 1, pool: 'gpu' },
})
const longInputs = () => ({
  type: 'object',
  additionalProperties: false,
  required: ['text', 'voice'],
  properties: {
    text: { type: 'string', maxLength: 5000 },
    voice: { type: 'string' },
    style_instruction: { type: 'string', maxLength: 20 },
  },
})
const speak = (body: object, options: { key?: string; headers?: Record<string, string> } = {}) =>
  call(`${service.url}/v1/audio/speech`, { method: 'POST', key, body, ...options })
const get = (path: string, withKey: string | null = key) =>
  call(service.url + path, withKey === null ? {} : { key: withKey })
const sdk = (apiKey = key, maxRetries = 0, fetch = globalThis.fetch) =>
  new OpenAI({ apiKey, baseURL: `${service.url}/v1`, maxRetries, fetch })
const jobOf = async (id: string) =>
  (await service.runtime.db.pool.query('select status, error_code, options, inputs from job where id = $1', [id]))
    .rows[0]
const secondsOf = async (id: string) =>
  (await service.runtime.db.pool.query('select duration_ms from artifact where job_id = $1', [id])).rows[0]
    .duration_ms / 1000
const newestJob = async () =>
  (
    await service.runtime.db.pool.query(
      'select id, status, error_code from job where account_id = $1 order by id desc limit 1',
      [account],
    )
  ).rows[0]
const creditsOf = async (id = account) =>
  BigInt((await service.runtime.db.pool.query('select credits from account where id = $1', [id])).rows[0].credits)
const decoded = async (bytes: Buffer, format: string): Promise<Wav> => {
  if (format === 'pcm') return { sampleRate: PCM_RATE, channels: 1, samples: samplesOf(bytes) }
  // A streamed WAV says that it does not know its size.
  return format === 'wav' ? parseWav(bytes) : service.runtime.audio.decode(bytes, format as 'mp3')
}
/** The first chunk of LONG. */
const isOpening = (body: Record<string, unknown>) => String(body.input).length < 100
/** Files of speech begin with what `first` makes of their first samples. */
const withEncoder = (first: (push: () => Promise<Uint8Array>) => Promise<Uint8Array>) => {
  const { audio } = service.runtime
  const start = audio.startEncoder.bind(audio)
  return vi.spyOn(audio, 'startEncoder').mockImplementation((options) => {
    const encoder = start(options)
    return { ...encoder, push: (samples) => first(() => encoder.push(samples)) }
  })
}
const seconds = ({ samples, sampleRate }: Wav) => samples.length / sampleRate
const events = (text: string) =>
  text.split('\n\n').flatMap((block) => (block.startsWith('data: ') ? [JSON.parse(block.slice(6))] : []))
/** As LiveKit's agents read them. */
const audioIn = (text: string) => {
  const parts: Buffer[] = []
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: ')) continue
    const { audio, delta } = JSON.parse(line.slice('data: '.length))
    if (audio ?? delta) parts.push(Buffer.from(audio ?? delta, 'base64'))
  }
  return Buffer.concat(parts)
}

describe('what clients send, one by one', () => {
  const TEXT = 'This is what clients say.'
  const wav = { model: 'tts-1', input: TEXT, voice: 'alloy', response_format: 'wav' }
  test.each<[string, object, string, string]>([
    [
      'openai-node and openai-python',
      { model: 'gpt-4o-mini-tts', input: TEXT, voice: 'coral', instructions: 'Cheerful.' },
      'audio/mpeg',
      'mp3',
    ],
    ['Open WebUI', { model: 'tts-1', input: TEXT, voice: 'alloy' }, 'audio/mpeg', 'mp3'],
    [
      'openai_tts of Home Assistant',
      { model: 'tts', input: TEXT, voice: 'shimmer', response_format: 'mp3', speed: 1.5, chime: true, extra: { a: 1 } },
      'audio/mpeg',
      'mp3',
    ],
    [
      'its streaming path',
      { model: 'tts', input: TEXT, voice: 'shimmer', response_format: 'opus', speed: 1 },
      'audio/opus',
      'opus',
    ],
    [
      'Home Assistant itself',
      { model: 'gpt-4o-mini-tts', input: TEXT, voice: 'marin', instructions: 'None', response_format: 'flac' },
      'audio/flac',
      'flac',
    ],
    [
      'LiveKit with tts-1',
      { input: TEXT, model: 'tts-1', voice: 'ash', response_format: 'mp3', speed: 1 },
      'audio/mpeg',
      'mp3',
    ],
    [
      'pipecat',
      { input: TEXT, model: 'gpt-4o-mini-tts', voice: 'nova', response_format: 'pcm', instructions: null },
      'audio/pcm',
      'pcm',
    ],
    [
      'SillyTavern',
      { input: TEXT, response_format: 'mp3', voice: 'onyx', speed: 1, model: 'tts-1' },
      'audio/mpeg',
      'mp3',
    ],
    [
      'Kokoro clients',
      {
        ...wav,
        stream: true,
        lang_code: 'a',
        return_download_link: false,
        normalization_options: {},
        volume_multiplier: 1,
      },
      'audio/wav',
      'wav',
    ],
    ['wyoming_openai', { ...wav, model: 'tts', voice: 'echo', speed: 1, instructions: '' }, 'audio/wav', 'wav'],
    ['speaches clients', { ...wav, voice: 'fable', sample_rate: 24_000, stream_format: 'audio' }, 'audio/wav', 'wav'],
    ...(['mp3', 'opus', 'wav', 'pcm'] as const).map((format): [string, object, string, string] => [
      `Home Assistant itself, for ${format}`,
      { model: 'gpt-4o-mini-tts', input: TEXT, voice: 'marin', instructions: 'None', response_format: format },
      { mp3: 'audio/mpeg', opus: 'audio/opus', wav: 'audio/wav', pcm: 'audio/pcm' }[format],
      format,
    ]),
    ['a client that names no model and no voice', { input: TEXT, response_format: 'wav' }, 'audio/wav', 'wav'],
    ['a client with an id for a voice', { ...wav, voice: { id: 'clara' } }, 'audio/wav', 'wav'],
  ])('%s', async (_client, body, type, format) => {
    const headers = { accept: 'application/octet-stream', 'accept-encoding': 'gzip, deflate' }
    const reply = await speak(body, { headers })
    expect([reply.status, reply.headers['content-type']]).toEqual([200, type])
    expect(reply.headers['content-encoding']).toBeUndefined()
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': '*',
    })
    expect(reply.headers['x-request-id']).toMatch(/./)
    const jobId = reply.headers['x-sonant-job-id']!
    expect(await jobOf(jobId)).toMatchObject({ status: 'completed' })
    const heard = seconds(await decoded(reply.bytes, format))
    expect(heard).toBeGreaterThan(0.7)
    expect(Math.abs(heard - (await secondsOf(jobId)))).toBeLessThan(0.13)
  })

  test('Home Assistant itself asks for AAC: the error names what there is', async () => {
    const body = { model: 'gpt-4o-mini-tts', input: TEXT, voice: 'marin', instructions: 'None', response_format: 'aac' }
    expect((await speak(body)).json()).toEqual({
      error: {
        message: expect.stringContaining('wav, mp3, opus, flac, pcm'),
        type: 'invalid_request_error',
        param: 'response_format',
        code: 'unsupported_format',
      },
      error_code: 'INVALID_REQUEST',
    })
  })

  test('names are taken in any case, languages by their codes, numbers as text', async () => {
    const languageOf = async (language: string) => {
      const reply = await speak({ input: TEXT, model: 'TTS', voice: 'Aria', language })
      expect([language, reply.status]).toEqual([language, 200])
      return (await jobOf(reply.headers['x-sonant-job-id'] as string)).inputs.language
    }
    expect(await Promise.all(['en', 'en-US', 'english', 'deu', 'Auto', 'French'].map(languageOf))).toEqual([
      'English',
      'English',
      'English',
      'German',
      'auto',
      'French',
    ])
    const alike = [
      { model: 'TTS-1', voice: 'Alloy' },
      { model: 'tts-1-1106', response_format: 'MP3' },
      { model: 'tts-1-hd-1106', speed: '1.0' },
      { speed: '1.5', voice: { id: 'ARIA' } },
    ]
    for (const body of alike) expect([body, (await speak({ input: TEXT, ...body })).status]).toEqual([body, 200])
    for (const body of [{ language: 'xx' }, { voice: 'nobody' }, { speed: 'fast' }, { speed: '9' }])
      expect([body, (await speak({ input: TEXT, model: 'tts', ...body })).status]).toEqual([body, 400])
  })

  test('pcm, WAV and FLAC have the sample rate that is asked for', async () => {
    const [pcm, slow] = await Promise.all(
      [24_000, 16_000].map((sample_rate) => speak({ input: TEXT, model: 'tts', response_format: 'pcm', sample_rate })),
    )
    expect(slow!.bytes.length / pcm!.bytes.length).toBeCloseTo(16 / 24, 2)
    const wav = await speak({ input: TEXT, model: 'tts', response_format: 'wav', sample_rate: 8000 })
    expect(wav.bytes.readUInt32LE(24)).toBe(8000)
    const flac = await speak({ input: TEXT, model: 'tts', response_format: 'flac', sample_rate: 16_000 })
    expect((flac.bytes.readUIntBE(18, 3) >> 4) & 0xfffff).toBe(16_000)
    for (const body of [
      { response_format: 'mp3', sample_rate: 16_000 },
      { response_format: 'pcm', sample_rate: 5 },
    ])
      expect((await speak({ input: TEXT, model: 'tts', ...body })).json()).toMatchObject({
        error: { param: 'sample_rate', type: 'invalid_request_error' },
      })
  })

  test('a slash at the end of an address changes nothing', async () => {
    const reply = await call(`${service.url}/v1/audio/speech/`, { method: 'POST', key, body: { input: TEXT } })
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'audio/mpeg'])
    expect((await get('/v1/models/?a=1')).text).toBe((await get('/v1/models')).text)
    expect((await get('/v1/audio/voices/?model=tts', null)).status).toBe(200)
    expect((await get('/api/v1/jobs/')).status).toBe(404)
  })

  test('wyoming_openai probes for servers that it knows: this is none of them', async () => {
    for (const path of ['/v1/audio/speech/voices', '/v1/speech/timestamps', '/v1/audio/voices/combine']) {
      const probe = await get(path, null)
      expect([404, 405]).toContain(probe.status)
      expect(probe.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    }
  })

  test('LiveKit with any other model: events that hold an MP3, and what was spent', async () => {
    const reply = await speak({ input: TEXT, model: 'gpt-4o-mini-tts', voice: 'ash', stream_format: 'sse' })
    expect(reply.headers['content-type']).toBe('text/event-stream')
    expect(seconds(await decoded(audioIn(reply.text), 'mp3'))).toBeGreaterThan(0.7)
    expect(events(reply.text).at(-1)).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: TEXT.length, output_tokens: 0, total_tokens: TEXT.length },
    })
    expect(events(reply.text)[0].type).toBe('speech.audio.delta')
    expect((await get('/v1/', null)).status).toBe(404)
    expect((await get('/v1/models/%zz', null)).json()).toMatchObject({
      error: { type: 'invalid_request_error' },
      error_code: 'INVALID_REQUEST',
    })
  })

  test('Open WebUI and wyoming ask for models and voices without a key', async () => {
    const models = await get('/v1/audio/models', null)
    expect(models.json()).toEqual({
      models: [
        { id: 'gpu', name: 'gpu' },
        { id: 'tts', name: 'Text to speech' },
        { id: 'loud', name: 'loud' },
      ],
    })
    const { voices, data, object } = (await get('/v1/audio/voices', null)).json<{
      voices: { id: string; model: string }[]
      data: unknown
      object: string
    }>()
    expect([object, data]).toEqual(['list', voices])
    expect(voices.find(({ id }) => id === 'aria')).toEqual({
      id: 'aria',
      name: 'Aria',
      description: expect.any(String),
      kind: 'preset',
      model: 'tts',
    })
    expect(new Set(voices.map(({ model }) => model))).toEqual(new Set(['gpu', 'tts']))
    const one = (await get('/v1/audio/voices?model=loud', null)).json<{ voices: { id: string }[] }>()
    expect(one.voices.map(({ id }) => id)).toEqual(['calm'])
    expect((await get('/v1/audio/voices', 'snt_wrong')).status).toBe(401)
    // OpenReader and others send the scheme alone where they were given no key.
    for (const authorization of ['Bearer ', 'Bearer', '']) {
      const reply = await call(`${service.url}/v1/audio/voices`, { headers: { authorization } })
      expect([reply.status, reply.json<{ voices: unknown }>().voices]).toEqual([200, voices])
    }
  })

  test('the models of a key, one by one, and restricted ones for the keys that reach them', async () => {
    const list = (await get('/v1/models')).json<{ object: string; data: { id: string }[] }>()
    expect(list).toMatchObject({
      object: 'list',
      data: [
        { id: 'gpu', object: 'model', owned_by: 'sonant', created: expect.any(Number) },
        { id: 'tts' },
        { id: 'loud' },
        { id: 'tts-1' },
        { id: 'tts-1-hd' },
        { id: 'gpt-4o-mini-tts' },
      ],
    })
    for (const { id } of list.data) expect((await get(`/v1/models/${id}`)).json()).toMatchObject({ id })
    const studio = (await service.createKey(account, ['generate:voice', 'voice:studio'])).apiKey
    const more = (await get('/v1/models', studio)).json<{ data: { id: string }[] }>()
    expect(more.data.map(({ id }) => id).slice(0, 5)).toEqual(['gpu', 'secret', 'tts', 'loud', 'tts-2'])
    expect((await get('/v1/models/tts')).json()).toMatchObject({ id: 'tts', object: 'model' })
    const [hidden, missing] = [await get('/v1/models/secret'), await get('/v1/models/hidden')]
    expect([hidden.status, hidden.text.replace('secret', 'hidden')]).toEqual([404, missing.text])
    expect((await get('/v1/models', null)).status).toBe(401)
  })

  test("OpenAI's 13 voices are always the same voices, by the endpoint's file first", async () => {
    expect(OPENAI_VOICES).toHaveLength(13)
    const voiceOf = async (model: string, voice: string) =>
      (await jobOf((await speak({ model, input: 'Hi.', voice, response_format: 'wav' })).headers['x-sonant-job-id']!))
        .inputs.voice
    const listed = (await get('/v1/audio/voices?model=tts')).json<{ voices: { id: string }[] }>().voices
    expect(await voiceOf('tts', 'alloy')).toBe(listed[0]!.id)
    expect(await voiceOf('tts', 'ballad')).toBe(listed[2]!.id)
    expect(await voiceOf('loud', 'alloy')).toBe('calm')
  })
})

describe('the official client', () => {
  test.each([['mp3'], ['opus'], ['flac'], ['wav'], ['pcm']] as const)('plays %s', async (format) => {
    const speech = await sdk().audio.speech.create({
      model: 'tts-1',
      voice: 'alloy',
      input: 'It plays.',
      response_format: format,
    })
    const file = Buffer.from(await speech.arrayBuffer())
    expect(seconds(await decoded(file, format))).toBeGreaterThan(0.4)
    expect(fileProblems(file, format)).toEqual([])
  })

  test('lists models, and sees errors as its own classes', async () => {
    expect((await sdk().models.list()).data.map(({ id }) => id)).toContain('tts')
    const create = (body: object, client = sdk()) =>
      client.audio.speech
        .create({ model: 'tts-1', voice: 'alloy', input: 'No.', ...body } as OpenAI.Audio.SpeechCreateParams)
        .then(
          () => null,
          (error: unknown) => error,
        )
    expect(await create({ voice: 'nobody' })).toBeInstanceOf(OpenAI.BadRequestError)
    expect(await create({ voice: 'nobody' })).toMatchObject({ param: 'voice', code: 'invalid_value' })
    expect(await create({}, sdk('snt_wrong'))).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(await create({ model: 'none' })).toBeInstanceOf(OpenAI.NotFoundError)
    const poor = await service.createCaller(0n)
    const before = server.calls.length
    // With retries allowed: the quota is not asked for again.
    let asked = 0
    const counted: typeof fetch = (...args) => {
      asked++
      return fetch(...args)
    }
    expect(await create({ model: 'gpu' }, sdk(poor.key, 2, counted))).toBeInstanceOf(OpenAI.RateLimitError)
    expect(asked).toBe(1)
    expect(server.calls.length).toBe(before)
  })
})

describe('errors', () => {
  const body = { model: 'tts', input: 'Hi.', voice: 'aria' }
  test.each<[string, object, number, string, string | null]>([
    ['an unknown model', { model: 'none' }, 404, 'model_not_found', 'model'],
    ['a restricted model', { model: 'secret' }, 404, 'model_not_found', 'model'],
    ['an alias of a restricted model', { model: 'tts-2' }, 404, 'model_not_found', 'model'],
    ['an unknown voice', { voice: 'nobody' }, 400, 'invalid_value', 'voice'],
    ['a voice that is no text', { voice: 7 }, 400, 'invalid_value', 'voice'],
    ['an unknown format', { response_format: 'aac' }, 400, 'unsupported_format', 'response_format'],
    ['no input', { input: undefined }, 400, 'missing_required_parameter', 'input'],
    ['an empty input', { input: '' }, 400, 'missing_required_parameter', 'input'],
    ['an input with a character that cannot be kept', { input: 'a\0b' }, 400, 'invalid_value', 'input'],
    ['an input of nothing to say', { input: '...' }, 400, 'invalid_value', 'input'],
    ['a text that is too long', { input: 'a'.repeat(10_001) }, 400, 'string_above_max_length', 'input'],
    [
      'instructions that are too long',
      { model: 'gpu', voice: 'calm', instructions: 'a'.repeat(21) },
      400,
      'string_above_max_length',
      'instructions',
    ],
    ['a speed out of range', { speed: 5 }, 400, 'invalid_value', 'speed'],
    ['a seed that is none', { seed: 1.5 }, 400, 'invalid_value', 'seed'],
    ['a stream format that is none', { stream_format: 'ndjson' }, 400, 'invalid_value', 'stream_format'],
    ['a language that is none', { language: 'Klingon' }, 400, 'invalid_value', 'language'],
  ])('%s', async (_title, change, status, code, param) => {
    const before = await creditsOf()
    const reply = await speak({ ...body, ...change })
    expect([reply.status, reply.json<{ error: object }>().error]).toEqual([
      status,
      { message: expect.any(String), type: 'invalid_request_error', param, code },
    ])
    expect(await creditsOf()).toBe(before)
  })

  test('401, 403, 404, 405, 413, 415, 429 and bodies that are none have the same shape', async () => {
    const weak = (await service.createKey(account, ['job:read'])).apiKey
    const poor = await service.createCaller(0n)
    const send = (options: Parameters<typeof call>[1]) =>
      call(`${service.url}/v1/audio/speech`, { method: 'POST', ...options })
    const replies = [
      [await send({ body }), 401, 'invalid_api_key', 'UNAUTHORIZED'],
      [await send({ body, headers: { authorization: 'Bearer ' } }), 401, 'invalid_api_key', 'UNAUTHORIZED'],
      [await send({ body, key: weak }), 403, 'missing_scope', 'FORBIDDEN'],
      [await get('/v1/nothing', null), 404, null, 'NOT_FOUND'],
      [await get('/v1', null), 404, null, 'NOT_FOUND'],
      [await get('/v1/audio/speech', null), 405, null, 'METHOD_NOT_ALLOWED'],
      [await send({ body: 'a'.repeat(1_100_000), key }), 413, null, 'PAYLOAD_TOO_LARGE'],
      [
        await send({ body: 'input=Hi', key, type: 'application/x-www-form-urlencoded' }),
        415,
        null,
        'UNSUPPORTED_MEDIA_TYPE',
      ],
      [await send({ body: '[1', key }), 400, 'invalid_value', 'INVALID_REQUEST'],
      [await send({ body, key: poor.key }), 429, 'insufficient_quota', 'PAYMENT_REQUIRED'],
    ] as const
    for (const [reply, status, code, ours] of replies) {
      expect([reply.status, reply.json()]).toEqual([
        status,
        { error: { message: expect.any(String), type: expect.any(String), param: null, code }, error_code: ours },
      ])
      expect(reply.headers['access-control-allow-origin']).toBe('*')
    }
    expect(replies[0][0].headers['www-authenticate']).toBe('Bearer')
    expect(replies[5][0].headers.allow).toContain('POST')
    expect(replies[9][0].headers['x-should-retry']).toBe('false')
    const preflight = await call(`${service.url}/v1/audio/speech`, {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example' },
    })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, '*'])
  })

  test.each<[string, object, number, string, string]>([
    ['a busy engine', { status: 429, json: {} }, 503, 'engine_overloaded', 'PROVIDER_BUSY'],
    ['an engine that refuses the text', { status: 400, json: { detail: 'no' } }, 400, 'render_failed', 'RENDER_FAILED'],
  ])('%s', async (_title, answer, status, code, ours) => {
    server.answer(() => answer)
    const reply = await speak({ model: 'gpu', input: 'Hi.' })
    expect([reply.status, reply.json()]).toMatchObject([status, { error: { code }, error_code: ours }])
  })

  test('no audio in time: 503, the job is cancelled and costs nothing', async () => {
    server.answer(() => ({ hang: true }))
    const before = await creditsOf()
    const limited = service.runtime.settings.openai as { waitSeconds: number }
    limited.waitSeconds = 1
    const reply = await speak({ model: 'gpu', input: 'Wait for me.' }).finally(() => {
      limited.waitSeconds = 120
    })
    expect([reply.status, Number(reply.headers['retry-after'])]).toEqual([503, 5])
    expect(await newestJob()).toMatchObject({ status: 'failed', error_code: 'JOB_CANCELLED' })
    expect(await creditsOf()).toBe(before)
    await until(() => server.inFlight() === 0, TIMEOUT_MS, 'the engine to be left')
  })

  test('no audio in time leaves its Idempotency-Key free: the next request is spoken, and alone is paid for', async () => {
    server.answer(() => ({ hang: true }))
    const before = await creditsOf()
    const limited = service.runtime.settings.openai as { waitSeconds: number }
    limited.waitSeconds = 1
    const headers = { 'idempotency-key': 'once more' }
    const ask = () => speak({ model: 'gpu', input: 'Wait for me.' }, { headers })
    expect((await ask().finally(() => (limited.waitSeconds = 120))).status).toBe(503)
    const cancelled = await newestJob()
    server.answer(() => ({}))
    expect((await ask()).status).toBe(200)
    expect(await newestJob()).toMatchObject({ status: 'completed' })
    expect((await newestJob()).id).not.toBe(cancelled.id)
    expect((await ask()).headers['x-sonant-job-id']).toBe((await newestJob()).id)
    expect(await creditsOf()).toBe(before - 12n)
  })

  test('an Idempotency-Key leads to its job, whatever has become of the model and its voices since', async () => {
    const voices = (...slugs: string[]) => slugs.map((slug) => ({ slug, name: slug, engine_voice: slug }))
    await applyEndpoint(service.runtime, 'moving', engineAt(server), { voices: voices('calm', 'clear') })
    const headers = { 'idempotency-key': 'moved' }
    const named = { model: 'moving', input: 'By name.', voice: 'clear' }
    const unnamed = { model: 'moving', input: 'By default.' }
    const both = async () => [
      await speak(named, { headers }),
      await speak(unnamed, { headers: { 'idempotency-key': 'moved too' } }),
    ]
    const told = (replies: Awaited<ReturnType<typeof both>>) =>
      replies.map(({ status, headers: sent }) => [status, sent['x-sonant-job-id'], sent['idempotency-replayed']])
    const first = told(await both())
    expect(first.map(([status, , replayed]) => [status, replayed])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
    const again = first.map(([, id]) => [200, id, 'true'])
    expect(told(await both())).toEqual(again)
    await applyEndpoint(service.runtime, 'moving', engineAt(server), { voices: voices('other', 'calm') })
    expect(told(await both())).toEqual(again)
    expect((await speak({ ...named, input: 'Other.' }, { headers })).status).toBe(422)
    await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'moving' })
    expect(told(await both())).toEqual(again)
    const { apiKey: other } = await service.createKey(account)
    expect((await speak(named, { headers, key: other })).status).toBe(404)
    expect((await speak(named)).status).toBe(404)
  })

  test('a speed and a seed are inputs of an endpoint that has such, come before its defaults and keep to its limits', async () => {
    const { properties, ...schema } = longInputs()
    const speed = { type: 'number', minimum: 0.5, maximum: 2, default: 1.25 }
    const seed = { type: 'integer', maximum: 100, default: 7 }
    await applyEndpoint(service.runtime, 'paced', engineAt(server), {
      inputs: { ...schema, properties: { ...properties, speed, seed } },
    })
    const paced = (more: object) => speak({ model: 'paced', voice: 'calm', input: 'At which pace?', ...more })
    const asked = async (more: object) => {
      expect((await paced(more)).status).toBe(200)
      const { body: sent } = server.calls.at(-1)!
      return [sent.speed, sent.seed]
    }
    expect(await asked({})).toEqual([1.25, 7])
    expect(await asked({ speed: null, seed: null })).toEqual([1.25, 7])
    expect(await asked({ speed: 1.5, seed: 42 })).toEqual([1.5, 42])
    // The voice's own pace is what no server has to be asked for.
    expect(await asked({ speed: 1, seed: 0 })).toEqual([undefined, 0])
    for (const [more, param] of [
      [{ speed: 3 }, 'speed'],
      [{ seed: 101 }, 'seed'],
    ] as const) {
      const reply = await paced(more)
      const message = expect.stringContaining(`${param} must be <= `)
      expect([reply.status, reply.json()]).toMatchObject([400, { error: { param, code: 'invalid_value', message } }])
    }
    // Where it is no number, a client that sends one with each request means the voice's pace.
    await applyEndpoint(service.runtime, 'paced', engineAt(server), {
      inputs: { ...schema, properties: { ...properties, speed: { enum: ['slow', 'fast'], type: 'string' } } },
    })
    expect(await asked({ speed: 1 })).toEqual([undefined, expect.anything()])
    await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'paced' })
  })

  test('two Idempotency-Keys are refused, and a language that is no text', async () => {
    const { status, text } = await speak({ input: 'Hi.' }, { headers: { 'idempotency-key': ['a', 'b'] as never } })
    expect([status, text]).toEqual([400, expect.stringContaining('Idempotency-Key: is repeated')])
    const wrong = await speak({ input: 'Hi.', language: 5 })
    expect([wrong.status, wrong.json<{ error: { param: string } }>().error.param]).toEqual([400, 'language'])
  })

  test('a request whose job another one with its Idempotency-Key had submitted, and gave up, is spoken all the same', async () => {
    server.answer(() => ({ hang: true }))
    const before = await creditsOf()
    const headers = { 'idempotency-key': 'given up' }
    const body = { model: 'gpu', input: 'Wait for me.' }
    const gone = new AbortController()
    const follow = vi.spyOn(service.runtime.jobFeed, 'follow')
    const first = fetch(`${service.url}/v1/audio/speech`, {
      ...{ method: 'POST', signal: gone.signal, body: JSON.stringify(body) },
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    }).catch(() => undefined)
    await until(() => server.inFlight() > 0, TIMEOUT_MS, 'the engine to be asked')
    const second = speak(body, { headers })
    await until(() => follow.mock.calls.length === 2, TIMEOUT_MS, 'both to wait')
    server.answer(() => ({}))
    gone.abort()
    expect((await second).status).toBe(200)
    await first
    follow.mockRestore()
    expect(await creditsOf()).toBe(before - 12n)
  })

  test('an error that is no failure of its job cancels it, so that a client that tries again pays once', async () => {
    const rest = Promise.withResolvers<void>()
    server.answer(({ body }) => (isOpening(body) ? {} : { until: rest.promise }))
    const before = await creditsOf()
    const { storage, speechRelay } = service.runtime
    const { read } = storage
    // As where the worker is another process.
    const publish = vi.spyOn(speechRelay, 'publish').mockImplementation(() => undefined)
    storage.read = async (...given) => {
      if (given[0].includes('/live/')) throw new Error('the store is away')
      return read.apply(storage, given)
    }
    const reply = await speak({ model: 'gpu', input: LONG }).finally(() => {
      storage.read = read
      publish.mockRestore()
      rest.resolve()
    })
    expect(reply.status).toBe(500)
    expect(await newestJob()).toMatchObject({ status: 'failed', error_code: 'JOB_CANCELLED' })
    expect(await creditsOf()).toBe(before)
  })
})

describe('live speech', () => {
  test.each([
    ['audio', {}],
    ['events', { stream_format: 'sse' }],
  ])('that cannot be encoded is an error, of a job that is cancelled and costs nothing (%s)', async (_title, more) => {
    const rest = Promise.withResolvers<void>()
    server.answer(({ body }) => (isOpening(body) ? {} : { until: rest.promise }))
    const before = await creditsOf()
    const encoding = withEncoder(() => Promise.reject(new Error('the thread has died')))
    const reply = await speak({ model: 'gpu', input: LONG, ...more }).finally(() => {
      encoding.mockRestore()
      rest.resolve()
    })
    expect([reply.status, reply.json<{ error_code: string }>().error_code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(await newestJob()).toMatchObject({ status: 'failed', error_code: 'JOB_CANCELLED' })
    expect(await creditsOf()).toBe(before)
  })

  test('that opens with silence is heard from its first words on', async () => {
    const rest = Promise.withResolvers<void>()
    // Two are asked for at once, in either order.
    server.answer(({ body }) => (String(body.input).startsWith('At first.') ? {} : { until: rest.promise }))
    const input = `${'* '.repeat(30)}\n\nAt first. ${LONG}`
    const response = await fetch(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpu', input, response_format: 'wav' }),
    })
    expect(response.status).toBe(200)
    rest.resolve()
    const heard = Buffer.from(await response.arrayBuffer())
    const job = await call(`${service.url}/api/v1/voice/jobs/${response.headers.get('x-sonant-job-id')}`, { key })
    const file = await call(job.json<{ outputs: { audio: string } }>().outputs.audio)
    expect(heard.subarray(44).equals(file.bytes.subarray(44))).toBe(true)
  })

  test('leaves while its job is processing, and is the whole in the end', async () => {
    const rest = Promise.withResolvers<void>()
    server.answer(({ body }) => (isOpening(body) ? {} : { until: rest.promise }))
    const response = await fetch(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpu', input: LONG, response_format: 'wav' }),
    })
    const jobId = response.headers.get('x-sonant-job-id') as string
    const reader = response.body!.getReader()
    const got: Buffer[] = [Buffer.from((await reader.read()).value!)]
    expect(await jobOf(jobId)).toMatchObject({ status: 'processing', options: { live: true } })
    rest.resolve()
    for (let next = await reader.read(); !next.done; next = await reader.read()) got.push(Buffer.from(next.value!))
    const job = await call(`${service.url}/api/v1/voice/jobs/${jobId}`, { key })
    const file = await call(job.json<{ outputs: { audio: string } }>().outputs.audio)
    expect(Buffer.concat(got).subarray(44).equals(file.bytes.subarray(44))).toBe(true)
  })

  describe('of a worker of the same process', () => {
    const ask = (body: object) =>
      fetch(`${service.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpu', response_format: 'wav', ...body }),
      })
    /** Storing waits for the test, and fails if it says so. */
    const holdStore = () => {
      const { storage } = service.runtime
      const held = Promise.withResolvers<void>()
      const put = storage.put.bind(storage)
      const spy = vi.spyOn(storage, 'put').mockImplementation(async (...given) => {
        await held.promise
        return put(...given)
      })
      return { ...held, restore: () => spy.mockRestore() }
    }

    test('leaves before it is stored, with the length of the whole, and ends once the job is completed', async () => {
      const store = holdStore()
      const response = await ask({ input: 'A sentence.' })
      const jobId = response.headers.get('x-sonant-job-id') as string
      const reader = response.body!.getReader()
      const got: Buffer[] = []
      const length = () => got.reduce((sum, piece) => sum + piece.length, 0)
      const size = () => Buffer.concat(got).readUInt32LE(4) + 8
      while (length() < 44 || length() < size()) got.push(Buffer.from((await reader.read()).value!))
      expect(await jobOf(jobId)).toMatchObject({ status: 'processing' })
      store.resolve()
      expect((await reader.read()).done).toBe(true)
      store.restore()
      expect(await jobOf(jobId)).toMatchObject({ status: 'completed' })
      const job = await call(`${service.url}/api/v1/voice/jobs/${jobId}`, { key })
      const file = await call(job.json<{ outputs: { audio: string } }>().outputs.audio)
      expect(Buffer.concat(got).equals(file.bytes)).toBe(true)
    })

    test('that cannot be stored is a broken transfer, of a job that failed and costs nothing', async () => {
      const before = await creditsOf()
      const store = holdStore()
      const response = await ask({ input: 'A sentence.' })
      store.reject(new Error('the disk is full'))
      await expect(response.arrayBuffer()).rejects.toThrow()
      const jobId = response.headers.get('x-sonant-job-id') as string
      await allFinished(service.runtime, [jobId])
      store.restore()
      expect(await jobOf(jobId)).toMatchObject({ status: 'failed' })
      expect(await creditsOf()).toBe(before)
    })
  })

  test('that fails in the middle is a broken transfer, and an error event before it', async () => {
    const read = async (more: object) => {
      const fail = Promise.withResolvers<void>()
      server.answer(({ body }) => (isOpening(body) ? {} : { until: fail.promise, status: 400, json: { detail: 'no' } }))
      const response = await fetch(`${service.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'gpu', input: LONG, ...more }),
      })
      const reader = response.body!.getReader()
      let text = ''
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          text += Buffer.from(next.value!).toString()
          fail.resolve()
        }
        return { text, broken: false }
      } catch {
        return { text, broken: true }
      }
    }
    expect((await read({ response_format: 'wav' })).broken).toBe(true)
    const sse = await read({ stream_format: 'sse' })
    expect(sse.broken).toBe(true)
    expect(sse.text).toContain('event: error\ndata: {"error":{')
    expect(sse.text).not.toContain('speech.audio.done')
  })
})

describe('speech whose job is stored as MP3, by a worker of another process', () => {
  const SHORT = 'This is all that is said.'
  beforeAll(() =>
    applyEndpoint(service.runtime, 'stored', engineAt(server), {
      inputs: longInputs(),
      audio: { formats: ['mp3'] },
    }),
  )
  /** While the account has the most of its stored audio decoded that it may, and jobs end before a listener hears of them. */
  const whileReading = async (work: () => Promise<void>) => {
    const { audio, speechRelay, jobFeed } = service.runtime
    const follow = jobFeed.follow.bind(jobFeed)
    const changed = [
      vi.spyOn(speechRelay, 'publish').mockImplementation(() => undefined),
      vi.spyOn(audio.shares.decoded, 'acquire').mockRejectedValue(new AudioBusy()),
      vi.spyOn(jobFeed, 'follow').mockImplementation(async (...given) => {
        await allFinished(service.runtime, [given[1].jobId ?? ''])
        return follow(...given)
      }),
    ]
    await work().finally(() => {
      for (const one of changed) one.mockRestore()
    })
  }

  test.each([
    ['in one piece', SHORT],
    ['in pieces', LONG],
  ])('is heard by the request that submitted it, whatever else of the account is read (%s)', async (_how, input) => {
    await whileReading(async () => {
      const before = await creditsOf()
      const reply = await speak({ model: 'stored', voice: 'calm', input, response_format: 'wav' })
      expect(reply.status).toBe(200)
      expect(seconds(await decoded(reply.bytes, 'wav'))).toBeGreaterThan(1)
      expect(await creditsOf()).toBe(before - BigInt(input.length))
    })
  })

  test('is read by a repetition as other stored audio is, in its turn', async () => {
    const headers = { 'idempotency-key': 'stored' }
    const ask = () => speak({ model: 'stored', voice: 'calm', input: SHORT, response_format: 'wav' }, { headers })
    expect((await ask()).status).toBe(200)
    await whileReading(async () => {
      const repeated = await ask()
      expect([repeated.status, repeated.json<{ error_code: string }>().error_code]).toEqual([503, 'UNAVAILABLE'])
    })
    expect((await ask()).headers['idempotency-replayed']).toBe('true')
  })
})

describe('speech that is complete before its first byte', () => {
  test.each([
    ['wav', undefined],
    ['wav', 'sse'],
    ['pcm', undefined],
    ['mp3', undefined],
  ])('is sent as %s, stream_format %s, with its length where that is known', async (format, stream) => {
    const headers = { 'idempotency-key': `complete ${format} ${stream}` }
    const body = {
      model: 'tts',
      voice: 'aria',
      input: 'It is all there.',
      response_format: format,
      stream_format: stream,
    }
    const first = await speak(body, { headers })
    const again = await speak(body, { headers })
    expect([first.status, again.status, again.headers['idempotency-replayed']]).toEqual([200, 200, 'true'])
    const isKnown = format === 'wav' && stream === undefined
    expect(again.headers['content-length']).toBe(isKnown ? String(again.bytes.length) : undefined)
    if (isKnown) expect(again.bytes.readUInt32LE(40)).toBe(again.bytes.length - 44)
  })
})

describe('speech with timestamps', () => {
  test.each(['mp3', 'pcm', 'wav'])('is %s in JSON with the times of its words', async (format) => {
    const input = 'Words have times, all of them.'
    const reply = await speak({ model: 'tts', input, voice: 'aria', response_format: format, timestamps: true })
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    const body = reply.json<{
      audio: string
      format: string
      sample_rate: number
      duration_seconds: number
      timing: string
      words: { text: string; start: number; end: number; source: string }[]
    }>()
    expect(Object.keys(body)).toEqual(['audio', 'format', 'sample_rate', 'duration_seconds', 'timing', 'words'])
    const wav = await decoded(Buffer.from(body.audio, 'base64'), format)
    expect([body.format, body.sample_rate]).toEqual([format, wav.sampleRate])
    expect(Math.abs(seconds(wav) - body.duration_seconds)).toBeLessThan(0.13)
    expect(body.words.map(({ text }) => text)).toEqual(['Words', 'have', 'times', 'all', 'of', 'them'])
    expect(Object.keys(body.words[0]!)).toEqual(['text', 'start', 'end', 'source'])
    expect(body.words.every(({ start, end }, at) => end >= start && start >= (body.words[at - 1]?.end ?? 0))).toBe(true)
    const { words } = (await get(`/api/v1/voice/jobs/${reply.headers['x-sonant-job-id']}/captions?format=json`)).json<{
      words: { start: number }[]
    }>()
    expect(words.map(({ start }) => start)).toEqual(body.words.map(({ start }) => start))
  })

  test.each([
    ['mp3', 11_025],
    ['mp3', 40_000],
    ['mp3', 96_000],
    ['flac', 11_025],
    ['pcm', 11_025],
  ])('says the rate that its %s has where the engine speaks at %d Hz', async (format, rate) => {
    const tone = Int16Array.from({ length: 2 * rate }, (_, at) => Math.sin((at * 2 * Math.PI * 220) / rate) * 8000)
    server.answer(() => ({ body: writeWav(tone, rate) }))
    const input = 'Words have times, all of them.'
    const reply = await speak({ model: 'gpu', input, response_format: format, timestamps: true })
    const body = reply.json<{ audio: string; sample_rate: number }>()
    expect(body.sample_rate).toBe((await decoded(Buffer.from(body.audio, 'base64'), format)).sampleRate)
  })

  test('is not sent as events, nor asked for by anything but true', async () => {
    for (const more of [{ timestamps: 'word' }, { timestamps: true, stream_format: 'sse' }]) {
      const reply = await speak({ model: 'tts', input: 'No.', ...more })
      expect([reply.status, reply.json<{ error: object }>().error]).toEqual([
        400,
        expect.objectContaining({ param: 'timestamps' }),
      ])
    }
    const plain = await speak({ model: 'tts', input: 'Plain.', timestamps: false })
    expect(plain.headers['content-type']).toBe('audio/mpeg')
  })

  test('that fails after its first part is that failure, and costs nothing', async () => {
    const before = await creditsOf()
    server.answer(({ body }) => (isOpening(body) ? {} : { status: 400, json: { error: { message: 'no' } } }))
    const reply = await speak({ model: 'gpu', input: LONG, timestamps: true })
    expect([reply.status, reply.json<{ error_code: string }>().error_code]).toEqual([400, 'RENDER_FAILED'])
    expect(await creditsOf()).toBe(before)
  })
})

describe('a caller that hangs up', () => {
  const begin = (onFirst?: () => void) => {
    const request = httpRequest(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    request.on('error', () => undefined)
    request.on('response', (response) => response.once('data', () => onFirst?.()).on('error', () => undefined))
    return request
  }
  const hangUp = async (input: string, when: () => Promise<unknown>, onFirst?: () => void, more: object = {}) => {
    const request = begin(onFirst)
    request.end(JSON.stringify({ model: 'gpu', input, response_format: 'wav', ...more }))
    await when()
    request.destroy()
  }

  test('in the middle of its request has asked for nothing', async () => {
    const [before, newest] = [await creditsOf(), await newestJob()]
    const request = begin()
    const connected = new Promise((resolve) => request.once('socket', (socket) => socket.once('connect', resolve)))
    request.write('{"model":"gpu","input":"Half of')
    await connected
    // Everything that it sent has arrived when a later request is answered.
    await speak({ model: 'tts', input: '', voice: 'aria' })
    request.destroy()
    expect((await get('/v1/models')).status).toBe(200)
    expect([await creditsOf(), await newestJob()]).toEqual([before, newest])
  })

  test('while its job waits for the engine cancels a job that was never charged', async () => {
    // At a server that has ended no job yet none is claimed ahead.
    const fresh = await startSpeechServer()
    fresh.answer(() => ({ hang: true }))
    await applyEndpoint(service.runtime, 'fresh', engineAt(fresh))
    const before = await creditsOf()
    const busy = Promise.withResolvers<void>()
    const at = { model: 'fresh', voice: 'calm' }
    const first = ['One.', 'Two.'].map((input) => hangUp(input, () => busy.promise, undefined, at))
    try {
      await until(() => fresh.inFlight() === 2, TIMEOUT_MS, 'both slots to be taken')
      const waiting = async () => (await newestJob()).status === 'queued'
      await hangUp('I wait.', () => until(waiting, TIMEOUT_MS, 'a job that waits'), undefined, at)
      await until(async () => (await newestJob()).status === 'failed', TIMEOUT_MS, 'the job to be cancelled')
      expect(await newestJob()).toMatchObject({ error_code: 'JOB_CANCELLED' })
    } finally {
      busy.resolve()
      await Promise.all(first)
    }
    await until(async () => (await creditsOf()) === before, TIMEOUT_MS, 'the credits to be back')
    await until(() => fresh.inFlight() === 0, TIMEOUT_MS, 'the engine to be left')
    expect(fresh.calls.some(({ body }) => body.input === 'I wait.')).toBe(false)
    await deleteEndpoint(service.runtime.as({ kind: 'system' }), { slug: 'fresh' })
    await fresh.close()
  })

  test('before the first sound cancels its job, which costs nothing', async () => {
    server.answer(() => ({ hang: true }))
    const before = await creditsOf()
    await hangUp('Never mind.', () => until(() => server.inFlight() > 0, TIMEOUT_MS, 'the engine to be asked'))
    await until(async () => (await newestJob()).status === 'failed', TIMEOUT_MS, 'the job to be cancelled')
    expect(await newestJob()).toMatchObject({ error_code: 'JOB_CANCELLED' })
    await until(async () => (await creditsOf()) === before, TIMEOUT_MS, 'the credits to be back')
    await until(() => server.inFlight() === 0, TIMEOUT_MS, 'the engine to be left')
  })

  test('between the first sound and the first byte cancels its job, which costs nothing', async () => {
    const [rest, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    server.answer(({ body }) => (isOpening(body) ? {} : { until: rest.promise }))
    const before = await creditsOf()
    const encoding = withEncoder((push) => left.promise.then(push))
    const heard = () => until(() => encoding.mock.calls.length > 0, TIMEOUT_MS, 'the first sound')
    await hangUp(LONG, heard, undefined, { response_format: 'mp3' })
    // The service answers a later request after it has noticed the end of the connection.
    expect((await get('/v1/models')).status).toBe(200)
    left.resolve()
    await until(async () => (await newestJob()).status !== 'processing', TIMEOUT_MS, 'the job to end').finally(() => {
      encoding.mockRestore()
      rest.resolve()
    })
    expect(await newestJob()).toMatchObject({ status: 'failed', error_code: 'JOB_CANCELLED' })
    await until(async () => (await creditsOf()) === before, TIMEOUT_MS, 'the credits to be back')
  })

  test('that waits for timestamps cancels its job at any time', async () => {
    server.answer(({ body }) => (isOpening(body) ? {} : { hang: true }))
    const before = await creditsOf()
    const { id: earlier } = await newestJob()
    const parts = 'select parts_done from job where account_id = $1 and id > $2 and parts_done > 0'
    const heard = async () => (await service.runtime.db.pool.query(parts, [account, earlier])).rowCount === 1
    await hangUp(LONG, () => until(heard, TIMEOUT_MS, 'the first part'), undefined, { timestamps: true })
    await until(async () => (await newestJob()).status === 'failed', TIMEOUT_MS, 'the job to be cancelled')
    expect(await newestJob()).toMatchObject({ error_code: 'JOB_CANCELLED' })
    await until(async () => (await creditsOf()) === before, TIMEOUT_MS, 'the credits to be back')
  })

  test.each([
    ['audio', {}],
    ['events', { stream_format: 'sse' }],
  ])('after it pays: the job runs on to its end (%s)', async (_title, more) => {
    const rest = Promise.withResolvers<void>()
    server.answer(({ body }) => (isOpening(body) ? {} : { until: rest.promise }))
    const heard = Promise.withResolvers<void>()
    const before = await creditsOf()
    await hangUp(LONG, () => heard.promise, heard.resolve, more)
    rest.resolve()
    const { id } = await newestJob()
    await allFinished(service.runtime, [id])
    expect(await newestJob()).toMatchObject({ id, status: 'completed' })
    expect(await creditsOf()).toBe(before - BigInt(LONG.length))
    expect(await audit(service.runtime, [id], {})).toEqual([])
  })
})

test('a reader of single bytes holds up no other request, and gets all of its speech in the end', async () => {
  const input = LONG.repeat(5).slice(0, 3000)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = httpRequest(`${service.url}/v1/audio/speech`, { method: 'POST', headers }, resolve)
    request.on('error', reject).end(JSON.stringify({ model: 'gpu', input, response_format: 'pcm' }))
  })
  const jobId = response.headers['x-sonant-job-id'] as string
  let bytes = 0
  const readOne = async () => {
    while (response.read(1) === null) await once(response, 'readable')
    bytes++
  }
  await readOne()
  // Its job ends and others are answered, though next to nothing was read.
  await allFinished(service.runtime, [jobId])
  await readOne()
  expect((await speak({ model: 'gpu', input: 'Meanwhile.', response_format: 'pcm' })).status).toBe(200)
  await readOne()
  for await (const chunk of response) bytes += (chunk as Buffer).length
  expect(bytes / 2 / PCM_RATE).toBeCloseTo(await secondsOf(jobId), 1)
})

test('a caller that has as many subscriptions open as it may is spoken to all the same', async () => {
  const caller = await service.createCaller()
  const actor = { kind: 'key', accountId: caller.account, apiKeyId: caller.keyId, scopes: [], credits: 0n } as const
  const open = () => service.runtime.subscriptions.open(actor, { onEnd: () => undefined })
  const streams = Array.from({ length: 1000 }, open)
  try {
    expect(open).toThrow('End other subscriptions first')
    expect((await speak({ model: 'tts', input: 'Hello.' }, { key: caller.key })).status).toBe(200)
  } finally {
    for (const stream of streams) stream.finish()
  }
})

test('80 requests at once over one slot are all answered, and what was spoken is charged', {
  timeout: 180_000,
}, async () => {
  const narrow = await startSpeechServer()
  const engine = { kind: 'openai-speech', base_url: narrow.url, model: 'm', max_in_flight: 1, pool: 'narrow' }
  await applyEndpoint(service.runtime, 'narrow', engine)
  const caller = await service.createCaller(1_000_000n)
  const texts = Array.from({ length: 80 }, (_, at) => `Number ${at}.`)
  const replies = await Promise.all(
    texts.map((input) => speak({ model: 'narrow', input, response_format: 'pcm' }, { key: caller.key })),
  ).finally(() => narrow.close())
  const [spoken, rejected] = [200, 503].map((status) => replies.filter((reply) => reply.status === status))
  expect(replies.filter(({ status }) => status !== 200 && status !== 503).map(({ text }) => text)).toEqual([])
  expect(spoken!.filter(({ bytes }) => bytes.length < 10_000)).toEqual([])
  expect(rejected!.map(({ headers }) => Number(headers['retry-after']) > 0)).not.toContain(false)
  expect(narrow.mostInFlight()).toBe(1)
  const charged = texts.filter((_, at) => replies[at]!.status === 200).join('').length
  expect(await creditsOf(caller.account)).toBe(1_000_000n - BigInt(charged))
})
