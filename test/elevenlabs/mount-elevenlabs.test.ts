import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { writeWav } from '../../src/audio/wav.ts'
import { call } from '../setup/http.ts'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'
import { parseWav } from '../setup/speech/parse-wav.ts'
import { sweep } from '../setup/speech/sound.ts'
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 30_000
const TEXT = 'This is what clients say.'
const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(12)

const LONG_INPUTS = {
  type: 'object',
  additionalProperties: false,
  required: ['text', 'voice'],
  properties: { text: { type: 'string', minLength: 1, maxLength: 20_000 }, voice: { type: 'string' } },
}

interface Timed {
  audio_base64: string
  alignment: Record<string, unknown[]>
  normalized_alignment: unknown
}
interface Line {
  audio_base64: string
  alignment: Record<string, unknown[]> | null
}
interface Page {
  voices: { voice_id: string }[]
  has_more: boolean
  total_count: number
  next_page_token: string | null
}
interface User {
  user_id: string
  subscription: { character_count: number; character_limit: number; next_character_count_reset_unix: number }
}

async function* linesIn({ body }: Response): AsyncGenerator<Line, void> {
  let rest = ''
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    for (const one of lines) yield JSON.parse(one) as Line
  }
}

let service: TestRuntime
let server: SpeechServer
let [key, account] = ['', '']
beforeAll(async () => {
  service = await startTestRuntime({ worker: true, env: { MAX_TEXT_CHARACTERS: '20000' } })
  server = await startSpeechServer()
  const engine = {
    kind: 'openai-speech',
    base_url: server.url,
    model: 'm',
    max_in_flight: 2,
    retry_seconds: 1,
    pool: 'gpu',
  }
  await applyEndpoint(service.runtime, 'gpu', engine, { openai: { models: ['loud'], voices: { Rachel: 'calm' } } })
  await applyEndpoint(service.runtime, 'long', {}, { inputs: LONG_INPUTS })
  await applyEndpoint(service.runtime, 'secret', {}, { required_scope: 'voice:studio' })
  const caller = await service.createCaller()
  key = caller.key
  account = caller.account
})
beforeEach(() => server.answer(() => ({})))
afterAll(async () => {
  await service.close()
  await server.close()
})

const header = (apiKey = key) => ({ 'xi-api-key': apiKey })
const speak = (path: string, body: object = {}, headers: Record<string, string> = header()) =>
  call(`${service.url}/v1/text-to-speech/${path}`, { method: 'POST', body: { text: TEXT, ...body }, headers })
const get = (path: string, headers: Record<string, string> = header()) => call(service.url + path, { headers })
const jobOf = async (id: string) =>
  (await service.runtime.db.pool.query('select status, options, inputs, endpoint_key from job where id = $1', [id]))
    .rows[0]
const secondsOf = async (id: string): Promise<number> =>
  (await service.runtime.db.pool.query('select duration_ms from artifact where job_id = $1', [id])).rows[0]
    .duration_ms / 1000
const creditsOf = async () =>
  BigInt((await service.runtime.db.pool.query('select credits from account where id = $1', [account])).rows[0].credits)

describe('text to speech', () => {
  test.each(['', '/stream'])('an MP3 of 44.1 kHz and 128 kbit/s unless asked for another format: %s', async (path) => {
    const reply = await speak(`clara${path}`)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, 'audio/mpeg'])
    const jobId = reply.headers['x-sonant-job-id']!
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'character-cost': String(TEXT.length),
      'history-item-id': jobId,
      'request-id': reply.headers['x-request-id'],
    })
    expect(await jobOf(jobId)).toMatchObject({
      status: 'completed',
      endpoint_key: 'voice.tts',
      inputs: { text: TEXT, voice: 'clara' },
      options: { live: true },
    })
    const heard = await service.runtime.audio.decode(reply.bytes, 'mp3')
    expect(heard.sampleRate).toBe(44_100)
    expect(Math.abs(heard.samples.length / 44_100 - (await secondsOf(jobId)))).toBeLessThan(0.13)
    expect(reply.bytes.length / (heard.samples.length / 44_100)).toBeCloseTo(128_000 / 8, -3)
  })

  test.each([
    ['pcm_8000', 'audio/pcm', 16_000],
    ['pcm_22050', 'audio/pcm', 44_100],
    ['pcm_48000', 'audio/pcm', 96_000],
    ['ulaw_8000', 'audio/basic', 8000],
    ['alaw_8000', 'audio/x-alaw-basic', 8000],
    ['mp3_22050_32', 'audio/mpeg', 4000],
    ['mp3_44100_192', 'audio/mpeg', 24_000],
    ['wav_16000', 'audio/wav', 32_000],
    ['opus_48000_64', 'audio/opus', null],
  ])('%s', async (format, type, bytesASecond) => {
    const reply = await speak(`clara?output_format=${format}&optimize_streaming_latency=3&enable_logging=false`)
    expect([reply.status, reply.headers['content-type']]).toEqual([200, type])
    const expected = await secondsOf(reply.headers['x-sonant-job-id']!)
    if (format.startsWith('wav')) expect(parseWav(reply.bytes).sampleRate).toBe(16_000)
    if (bytesASecond !== null) expect(Math.abs(reply.bytes.length / bytesASecond - expected)).toBeLessThan(0.15)
    else expect(reply.bytes.subarray(0, 4).toString()).toBe('OggS')
  })

  test('speed, seed, language and normalization reach the engine; what is documented beside them changes nothing', async () => {
    const reply = await speak('clara', {
      model_id: 'eleven_turbo_v2_5',
      language_code: 'de',
      seed: 2 ** 31 + 7,
      voice_settings: { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1.1 },
      apply_text_normalization: 'on',
      apply_language_text_normalization: true,
      previous_text: 'Before.',
      next_text: 'Behind.',
      previous_request_ids: ['a'],
      next_request_ids: [],
      pronunciation_dictionary_locators: [{ pronunciation_dictionary_id: 'a', version_id: 'b' }],
      use_pvc_as_ivc: false,
    })
    expect(reply.status).toBe(200)
    expect(await jobOf(reply.headers['x-sonant-job-id']!)).toMatchObject({
      inputs: { text: TEXT, voice: 'clara', language: 'German' },
      options: { speed: 1.1, seed: 7, textNormalization: 'on', live: true },
    })
  })

  test('a voice is a slug, one of an endpoint, or an alias of its file, and a model an endpoint', async () => {
    const endpointOf = async (path: string, body: object = {}) => {
      const reply = await speak(path, body)
      return reply.status === 200 ? (await jobOf(reply.headers['x-sonant-job-id']!)).endpoint_key : reply.status
    }
    expect(await endpointOf('gpu:calm')).toBe('voice.gpu')
    expect(await endpointOf('gpu:calm', { model_id: 'eleven_multilingual_v2' })).toBe('voice.gpu')
    expect(await endpointOf('calm', { model_id: 'gpu' })).toBe('voice.gpu')
    expect(await endpointOf('Rachel', { model_id: 'loud' })).toBe('voice.gpu')
    expect(await endpointOf('gpu:calm', { model_id: 'tts' })).toBe(404)
    expect(await endpointOf('calm')).toBe(404)
    expect(await endpointOf('clara', { model_id: 'tts' })).toBe('voice.tts')
  })

  test('a client that hangs up before the first sound cancels its job and pays nothing', async () => {
    server.answer(() => ({ hang: true }))
    const before = await creditsOf()
    const sent = httpRequest(`${service.url}/v1/text-to-speech/gpu:calm/stream`, {
      method: 'POST',
      headers: { ...header(), 'content-type': 'application/json' },
    })
    sent.on('error', () => undefined).end(JSON.stringify({ text: TEXT }))
    await until(() => server.inFlight() > 0, TIMEOUT_MS, 'the engine to be asked')
    sent.destroy()
    const newest = `select error_code from job where account_id = $1 order by id desc limit 1`
    const isCancelled = async () =>
      (await service.runtime.db.pool.query(newest, [account])).rows[0].error_code === 'JOB_CANCELLED'
    await until(isCancelled, TIMEOUT_MS, 'the job to be cancelled')
    await until(() => server.inFlight() === 0, TIMEOUT_MS, 'the engine to be left')
    expect(await creditsOf()).toBe(before)
  })
})

describe('timestamps', () => {
  const check = (alignment: Record<string, unknown[]>, text: string, seconds: number) => {
    const starts = alignment.character_start_times_seconds as number[]
    const ends = alignment.character_end_times_seconds as number[]
    expect(alignment.characters!.join('')).toBe(text)
    expect([starts.length, ends.length]).toEqual([[...text].length, [...text].length])
    for (let at = 0; at < starts.length; at++) {
      expect(starts[at]!).toBeLessThanOrEqual(ends[at]!)
      if (at > 0) expect(starts[at]!).toBeGreaterThanOrEqual(ends[at - 1]! - 0.001)
    }
    expect(ends.at(-1)!).toBeCloseTo(seconds, 1)
  }

  test.each(['Hi 👋🏽, it costs $100 – “really”?', LONG])(
    'the characters join to the text as it was sent',
    async (text) => {
      const reply = await speak('clara/with-timestamps?output_format=pcm_16000', { text })
      expect([reply.status, reply.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
      const { audio_base64, alignment, normalized_alignment } = reply.json<Timed>()
      const seconds = Buffer.from(audio_base64, 'base64').length / 32_000
      check(alignment, text, seconds)
      expect(normalized_alignment).toEqual(alignment)
    },
  )

  test('as a stream they are a JSON object a line, and the audio of all lines is the whole', async () => {
    const reply = await speak('clara/stream/with-timestamps?output_format=pcm_16000', { text: LONG })
    const lines = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.length).toBeGreaterThan(1)
    const seconds = Buffer.concat(lines.map((line) => Buffer.from(line.audio_base64, 'base64'))).length / 32_000
    expect(Math.abs(seconds - (await secondsOf(reply.headers['x-sonant-job-id']!)))).toBeLessThan(0.1)
    const aligned = lines.filter(({ alignment }) => alignment !== null)
    check(
      {
        characters: aligned.flatMap(({ alignment }) => alignment.characters),
        character_start_times_seconds: aligned.flatMap(({ alignment }) => alignment.character_start_times_seconds),
        character_end_times_seconds: aligned.flatMap(({ alignment }) => alignment.character_end_times_seconds),
      },
      LONG,
      seconds,
    )
  })

  test.each([
    [200, 1],
    [10_001, 0],
  ])('of a text of %i characters the job has parts with times: %i', async (length, pieces) => {
    const gone = new AbortController()
    const headers = { ...header(), 'content-type': 'application/json' }
    const url = `${service.url}/v1/text-to-speech/long:calm/stream/with-timestamps?output_format=pcm_8000`
    const body = JSON.stringify({ text: LONG.repeat(12).slice(0, length) })
    const reply = await fetch(url, { method: 'POST', headers, body, signal: gone.signal })
    const { value: first } = await linesIn(reply).next()
    expect(first?.alignment === null).toBe(pieces === 0)
    gone.abort()
    const { options } = await jobOf(reply.headers.get('x-sonant-job-id')!)
    expect((options.pieces ?? []).length).toBe(pieces)
  })

  test('a line has the times of its audio while the rest of the text is not spoken yet', async () => {
    const rest = Promise.withResolvers<void>()
    server.answer(({ body }) => (String(body.input).includes('second') ? { until: rest.promise } : {}))
    const text =
      'This is the first sentence of all – it costs $5. And this is the second one, which takes much longer to be said.'
    const headers = { ...header(), 'content-type': 'application/json', 'idempotency-key': 'timed lines' }
    const url = `${service.url}/v1/text-to-speech/gpu:calm/stream/with-timestamps?output_format=pcm_16000`
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ text }) })
    const lines = linesIn(reply)
    const early: Line[] = []
    const spoken = () => early.flatMap(({ alignment }) => alignment?.characters ?? []).join('')
    while (!spoken().includes('$5.')) early.push((await lines.next()).value as Line)
    expect([spoken().includes('second'), early.some(({ audio_base64: audio }) => audio !== '')]).toEqual([false, true])
    rest.resolve()
    const all = [...early]
    for await (const late of lines) all.push(late)
    const aligned = all.flatMap(({ alignment }) => (alignment === null ? [] : [alignment]))
    const bytes = Buffer.concat(all.map(({ audio_base64: audio }) => Buffer.from(audio, 'base64')))
    const times = (name: string) => aligned.flatMap((one) => one[name] ?? [])
    const [starts, ends] = ['character_start_times_seconds', 'character_end_times_seconds'].map(times)
    check(
      {
        characters: times('characters'),
        character_start_times_seconds: starts!,
        character_end_times_seconds: ends!,
      },
      text,
      bytes.length / 32_000,
    )
    const again = await call(url, { method: 'POST', headers, body: JSON.stringify({ text }) })
    const repeated = again.text
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one) as Line)
    expect(repeated.flatMap(({ alignment }) => alignment?.characters ?? []).join('')).toBe(text)
  })
})

describe('errors', () => {
  test('a key that is missing, wrong, or lacks the scope; a bearer is taken too', async () => {
    const wrong: Record<string, string>[] = [{}, header('snt_wrong'), header(''), { authorization: 'Bearer snt_wrong' }]
    for (const headers of wrong) {
      const reply = await speak('clara', {}, headers)
      expect([reply.status, reply.json()]).toEqual([
        401,
        { detail: { status: 'invalid_api_key', message: expect.stringContaining('xi-api-key') } },
      ])
    }
    const { apiKey: narrow } = await service.createKey(account, ['jobs:read'])
    expect((await speak('clara', {}, header(narrow))).json()).toMatchObject({
      detail: { status: 'missing_permissions' },
    })
    expect((await speak('clara', {}, { authorization: `Bearer ${key}` })).status).toBe(200)
  })

  test('an account without credits has no quota, in the way that clients do not repeat', async () => {
    const { key: poor } = await service.createCaller(0n)
    const reply = await speak('clara', {}, header(poor))
    expect([reply.status, reply.json()]).toMatchObject([401, { detail: { status: 'quota_exceeded' } }])
  })

  test('a voice that nobody has and one of an endpoint for others are not found in the same words', async () => {
    const answers = await Promise.all(
      ['secret:calm', 'nowhere:calm', 'voice_01kb00000000000000000000', '%20%20'].map(async (id) => {
        const reply = await speak(id)
        return [reply.status, reply.text.replace(`voice_id ${decodeURIComponent(id)} was`, 'voice_id ID was')]
      }),
    )
    expect(answers).toEqual(
      answers.map(() => [
        404,
        '{"detail":{"status":"voice_not_found","message":"A voice with the voice_id ID was not found."}}',
      ]),
    )
    expect((await get('/v1/voices/secret:calm')).text).toBe((await speak('secret:calm')).text)
    const models = await Promise.all(['secret', 'nowhere'].map((model_id) => speak('clara', { model_id })))
    const texts = models.map(({ status, text }, at) => [status, text.replace(['secret', 'nowhere'][at]!, 'ID')])
    expect(texts[0]).toEqual(texts[1])
    expect(texts[0]).toMatchObject([404, expect.stringContaining('model_not_found')])
  })

  test.each<[string, object, readonly string[]]>([
    ['clara', { text: undefined }, ['body', 'text']],
    ['clara', { text: 7 }, ['body', 'text']],
    ['clara', { text: '' }, ['body', 'text']],
    ['clara', { text: '  ' }, ['body', 'text']],
    ['clara', { language_code: 'xx' }, ['body', 'language_code']],
    ['clara', { seed: -1 }, ['body', 'seed']],
    ['clara', { voice_settings: { speed: 9 } }, ['body', 'voice_settings', 'speed']],
    ['clara', { voice_settings: 'fast' }, ['body', 'voice_settings']],
    ['clara', { apply_text_normalization: 'maybe' }, ['body', 'apply_text_normalization']],
    ['clara', { model_id: 7 }, ['body', 'model_id']],
    ['clara?output_format=mp3_1_1', {}, ['query', 'output_format']],
    ['clara?output_format=pcm_8000&output_format=pcm_16000', {}, ['query', 'output_format']],
  ])('what cannot be spoken is 422 with the field: %s %j', async (path, body, loc) => {
    const before = await creditsOf()
    const reply = await speak(path, body)
    expect([reply.status, reply.json()]).toEqual([
      422,
      { detail: [{ loc, msg: expect.any(String), type: 'value_error' }] },
    ])
    expect(await creditsOf()).toBe(before)
  })

  test('a text that is too long, a body that is no JSON, too large or of another type', async () => {
    const url = `${service.url}/v1/text-to-speech/clara`
    const long = await speak('clara', { text: 'a '.repeat(6000) })
    expect([long.status, long.json()]).toMatchObject([400, { detail: { status: 'max_character_limit_exceeded' } }])
    const broken = await call(url, { method: 'POST', headers: header(), body: '{"text": ' })
    expect([broken.status, broken.json()]).toMatchObject([422, { detail: [{ loc: ['body'] }] }])
    const large = await call(url, { method: 'POST', headers: header(), body: { text: 'a'.repeat(2_000_000) } })
    expect([large.status, large.json()]).toMatchObject([413, { detail: { status: 'payload_too_large' } }])
    const form = await call(url, { method: 'POST', headers: header(), body: 'text=a', type: 'text/plain' })
    expect([form.status, form.json()]).toMatchObject([415, { detail: { status: 'unsupported_media_type' } }])
  })

  test('unknown addresses and methods below its paths have its shape, others keep theirs', async () => {
    for (const path of ['/v1/text-to-speech', '/v1/text-to-speech/a/b', '/v1/user/x', '/v1/voices/a/b', '/v2/voices/x'])
      expect([path, (await get(path)).status, (await get(path)).json()]).toMatchObject([
        path,
        404,
        { detail: { status: 'not_found' } },
      ])
    const wrong = await get('/v1/text-to-speech/clara')
    expect([wrong.status, wrong.headers.allow, wrong.json()]).toMatchObject([
      405,
      'OPTIONS, POST',
      { detail: { status: 'method_not_allowed' } },
    ])
    expect((await get('/v1/voices/%zz')).json()).toMatchObject({ detail: [{ loc: ['body'] }] })
    expect((await get('/v1/nothing')).json()).toHaveProperty('error')
    expect((await get('/v2/nothing')).json()).toHaveProperty('error_code')
  })

  test('pages of any origin may call', async () => {
    const preflight = await call(`${service.url}/v1/text-to-speech/clara/stream`, { method: 'OPTIONS' })
    expect([preflight.status, preflight.headers['access-control-allow-headers']]).toEqual([204, '*, authorization'])
  })
})

describe('lists', () => {
  test('models have ElevenLabs form with its header, and OpenAI form without, byte for byte', async () => {
    const models = (await get('/v1/models')).json<{ model_id: string }[]>()
    expect(models.map(({ model_id }) => model_id)).toEqual(
      expect.arrayContaining(['gpu', 'tts', 'eleven_multilingual_v2']),
    )
    expect(models.find(({ model_id }) => model_id === 'tts')).toMatchObject({
      name: 'Text to speech',
      can_do_text_to_speech: true,
      maximum_text_length_per_request: 10_000,
      languages: expect.arrayContaining([{ language_id: 'de', name: 'German' }]),
    })
    const openai = await get('/v1/models', { authorization: `Bearer ${key}` })
    expect(openai.json()).toMatchObject({
      object: 'list',
      data: [{ id: 'gpu' }, { id: 'long' }, { id: 'tts' }, { id: 'loud' }, {}, {}, {}],
    })
    expect((await get('/v1/models', header('snt_wrong'))).json()).toHaveProperty('detail.status', 'invalid_api_key')
    expect((await get('/v1/models', {})).json()).toHaveProperty('error.code', 'invalid_api_key')
  })

  test('every voice that is listed is shown and speaks as it is listed', async () => {
    const { voices } = (await get('/v1/voices')).json<{ voices: { voice_id: string }[] }>()
    const ids = voices.map(({ voice_id }) => voice_id)
    expect(ids).toEqual(expect.arrayContaining(['clara', 'gpu:calm']))
    expect(ids.join()).not.toContain('secret')
    for (const id of ['clara', 'gpu:calm']) {
      expect((await get(`/v1/voices/${id}`)).json()).toEqual(voices.find(({ voice_id }) => voice_id === id))
      expect((await speak(id)).status).toBe(200)
    }
  })

  test('pages hold every voice once; a search narrows them and their count', async () => {
    const all = (await get('/v1/voices')).json<{ voices: { voice_id: string }[] }>().voices
    const seen: string[] = []
    let token: string | null = ''
    do {
      const page: Page = (await get(`/v2/voices?page_size=4&next_page_token=${token}`)).json<Page>()
      expect(page.total_count).toBe(all.length)
      expect(page.has_more).toBe(page.next_page_token !== null)
      seen.push(...page.voices.map(({ voice_id }) => voice_id))
      token = page.next_page_token
    } while (token !== null)
    expect(seen).toEqual(all.map(({ voice_id }) => voice_id))
    const found = (await get('/v2/voices?search=CLAR&sort=name')).json<Page>()
    expect([found.total_count, found.has_more, found.voices[0]?.voice_id]).toEqual([1, false, 'clara'])
    for (const query of ['page_size=0', 'page_size=x', 'next_page_token=nothing'])
      expect([query, (await get(`/v2/voices?${query}`)).status]).toEqual([query, 422])
  })

  test('a voice of the account is listed for its account alone, and spoken where an endpoint can', async () => {
    const engine = { kind: 'openai-speech', base_url: server.url, model: 'm', retry_seconds: 1, pool: 'gpu' }
    await applyEndpoint(service.runtime, 'clone', engine, { library_voices: true })
    const { apiKey } = await service.createKey(account, ['generate:voice', 'voice:library'])
    const form = new FormData()
    for (const [name, value] of Object.entries({ name: 'Mine', consent: 'My own voice.' })) form.append(name, value)
    form.append('audio_sample', new Blob([Uint8Array.from(writeWav(sweep(2, 16_000).samples, 16_000))]), 'a.wav')
    const authorization = `Bearer ${apiKey}`
    const made = await fetch(`${service.url}/api/v1/voices`, { method: 'POST', headers: { authorization }, body: form })
    const { voice_id: id } = (await made.json()) as { voice_id: string }
    const { voices } = (await get('/v1/voices')).json<Page>()
    expect(voices.filter(({ voice_id }) => voice_id === id)).toEqual([
      expect.objectContaining({ name: 'Mine', category: 'cloned', is_owner: true }),
    ])
    expect((await get('/v2/voices?category=cloned')).json<Page>().total_count).toBe(1)
    for (const [path, body] of [[id], [`clone:${id}`], [id, { model_id: 'clone' }]] as [string, object?][]) {
      const reply = await speak(path, body)
      expect([path, reply.status]).toEqual([path, 200])
      expect((await jobOf(reply.headers['x-sonant-job-id']!)).endpoint_key).toBe('voice.clone')
    }
    const { key: other } = await service.createCaller()
    const unknown = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const refused = await Promise.all([speak(id, {}, header(other)), speak(unknown, {}, header(other))])
    const [foreign, missing] = refused.map(({ status, text }, at) => [status, text.replace([id, unknown][at]!, 'ID')])
    expect(foreign).toEqual(missing)
    expect(foreign?.[0]).toBe(404)
    expect((await get('/v1/voices', header(other))).text).not.toContain(id)
  })

  test("what is left of the account's credits is the quota", async () => {
    const user = (await get('/v1/user')).json<User>()
    expect(user.user_id).toBe(account)
    const { character_count: count, character_limit: limit } = user.subscription
    expect(BigInt(limit - count)).toBe(await creditsOf())
    expect((await get('/v1/user/subscription')).json()).toEqual(user.subscription)
  })

  test('credits that a text holds and those beyond a monthly limit are not left', async () => {
    const { key: other, account: owner } = await service.createCaller(1000n)
    const change = (set: string) => service.runtime.db.pool.query(`update account set ${set} where id = $1`, [owner])
    const left = async () => {
      const { subscription: all } = (await get('/v1/user', header(other))).json<User>()
      return all.character_limit - all.character_count
    }
    expect(await left()).toBe(1000)
    await change('held = 300')
    expect(await left()).toBe(700)
    await change('monthly_limit = 500')
    expect(await left()).toBe(500)
    await change('held = 0')
    const spoken = await speak('clara', {}, header(other))
    expect(spoken.status).toBe(200)
    const { subscription } = (await get('/v1/user', header(other))).json<User>()
    expect(subscription).toMatchObject({ character_count: TEXT.length, character_limit: 500 })
    expect(subscription.next_character_count_reset_unix * 1000).toBeGreaterThan(Date.now())
    await change('monthly_limit = null')
    const unlimited = (await get('/v1/user', header(other))).json<User>().subscription
    expect(unlimited).toMatchObject({ character_count: TEXT.length, character_limit: 1000 })
  })
})
