import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { durationMs } from '../../src/audio/wav.ts'
import type { EngineError, EngineErrorCode, SpeechRequest } from '../../src/engines/engine.ts'
import { openEngines } from '../../src/engines/engines.ts'
import { openLog } from '../../src/values/log.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'

const KEY = 'sk-0123456789'
const TEXT = 'The weather is lovely today.'
const engines = openEngines({
  threads: 1,
  log: openLog('silent'),
  lookUp: (name) => (name === 'SPEECH_KEY' ? KEY : undefined),
})
let server: SpeechServer

// A server of its own for each test: what one has broken, the next would find down.
beforeEach(async () => {
  server = await startSpeechServer()
})
afterEach(() => server.close())
afterAll(() => engines.close())

const preset = { slug: 'a', kind: 'preset', engineVoice: 'Vivian', referenceAudio: null, referenceText: null } as const
const reference = {
  slug: 'host',
  kind: 'reference',
  engineVoice: null,
  referenceAudio: new TextEncoder().encode('RIFFxxxxWAVE'),
  referenceText: 'What the recording says.',
} as const
const speak = (block: object = {}, request: Partial<SpeechRequest> = {}) =>
  engines.use({ kind: 'openai-speech', base_url: server.url, model: 'tts', retry_seconds: 0, ...block }, (engine) =>
    engine.speak({ text: TEXT, voice: preset, signal: new AbortController().signal, extra: {}, ...request }),
  )
const sentBy = async (profile: string, request: Partial<SpeechRequest> = {}, block: object = {}) => {
  await speak({ profile, ...block }, request)
  return server.calls.at(-1)?.body
}
const fails = (code: EngineErrorCode, message: RegExp = /./) =>
  expect.objectContaining({
    name: 'EngineError',
    code,
    message: expect.stringMatching(message),
  } as Partial<EngineError>)

describe('a Kokoro server that tells when its words are heard', () => {
  const RATE = 24_000
  const at = (word: string, start: number) => ({ word, start_time: start, end_time: start + 0.2 })
  const wordsOf = async (text: string, timestamps: unknown) => {
    server.caption(() => ({ timestamps }))
    const { words } = await speak({ profile: 'kokoro' }, { text })
    return words?.map(({ offset, sample }) => [text.slice(offset).split(/[ ,.]/)[0], sample / RATE])
  }

  test('gives each word its time', async () => {
    expect(
      await wordsOf('Hello, brave World.', [at('Hello', 0.1), at(',', 0.4), at('brave', 0.5), at('world', 0.9)]),
    ).toEqual([
      ['Hello', 0.1],
      ['brave', 0.5],
      ['World', 0.9],
    ])
    expect(server.calls).toEqual([])
  })

  test('reads a number as words, doubles one, and puts things in: those have no time', async () => {
    const said = ['In', 'nineteen', 'ninety', 'it', 'it', 'rained', 'a', 'lot'].map((word, index) =>
      at(word, index / 4),
    )
    expect(await wordsOf('In 1990 it rained a lot.', [...said, at('it', -1), { word: 7 }, null])).toEqual([
      ['In', 0],
      ['it', 0.75],
      ['rained', 1.25],
      ['a', 1.5],
      ['lot', 1.75],
    ])
  })

  test('and one that does not for a language speaks without them', async () => {
    expect(await wordsOf('Bonjour.', null)).toBeUndefined()
    expect(server.calls).toEqual([])
  })

  test('fails at that, or answers with no audio: the text is spoken the plain way', async () => {
    for (const reply of [{ status: 500, json: { detail: 'times' } }, { json: {} }, { json: '<html>' }]) {
      server.caption(() => reply)
      expect((await speak({ profile: 'kokoro' })).words).toBeUndefined()
    }
    expect(server.calls.length).toBe(3)
  })

  test('is not asked for times again where it has no such path, and other servers never are', async () => {
    await speak({ profile: 'kokoro' })
    server.caption(() => ({ timestamps: [at('The', 0)] }))
    expect((await speak({ profile: 'kokoro' })).words).toBeUndefined()
    expect((await speak({ profile: 'generic' })).words).toBeUndefined()
  })
})

describe('a vLLM-Omni server with an aligner', () => {
  const RATE = 24_000
  const at = (word: string, start: number) => ({ word, start_ms: start, end_ms: start + 80 })
  const spoken = async (text: string, header: string, block: object = {}) => {
    server.answer(({ body }) => (body.word_timestamps === true ? { headers: { 'x-word-timestamps': header } } : {}))
    return speak({ profile: 'vllm-omni', word_timestamps: true, ...block }, { text })
  }

  test('tells when its words are heard, in any script: characters of one without spaces each for itself', async () => {
    const text = 'Hello, 世界。Café ok.'
    const listed = ['Hello', '世', '界', 'café', 'nothing', 'ok'].map((word, index) => at(word, index * 100))
    const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    const header = JSON.stringify(listed).replace(/[^ -~]/g, escaped)
    const { words, wordsFrom } = await spoken(text, header)
    expect(wordsFrom).toBe('aligner')
    expect(words?.map(({ offset, sample }) => [text.slice(offset, offset + 2), sample / RATE])).toEqual([
      ['He', 0],
      ['世界', 0.1],
      ['界。', 0.2],
      ['Ca', 0.3],
      ['ok', 0.5],
    ])
  })

  test('leaves them out, or says what is no list: the text is spoken without', async () => {
    for (const header of ['', 'null', '{}', '[{"word":1}'])
      expect((await spoken('Hello.', header)).wordsFrom).toBeUndefined()
    expect((await spoken('Hello.', '[{"word":1},null,{"word":"Hello","start_ms":-1}]')).words).toEqual([])
  })

  test('and one that has lost its aligner is asked without times from then on', async () => {
    const json = { error: { message: 'word_timestamps requires the server to run with --forced-aligner.' } }
    server.answer(({ body }) => (body.word_timestamps === true ? { status: 400, json } : {}))
    for (let n = 0; n < 2; n++)
      expect((await speak({ profile: 'vllm-omni', word_timestamps: true })).words).toBeUndefined()
    expect(server.calls.map(({ body }) => body.word_timestamps)).toEqual([true, undefined, undefined])
    await speak({ profile: 'vllm-omni' })
    expect(server.calls.at(-1)?.body).not.toHaveProperty('word_timestamps')
    await expect(async () => speak({ profile: 'kokoro', word_timestamps: true })).rejects.toThrow(
      'is not supported by kokoro',
    )
  })

  test('one that rejects a text, quoting the request, is asked for times again', async () => {
    server.answer(({ body }) => (body.input === 'No.' ? { status: 422, json: { detail: body } } : {}))
    await expect(speak({ profile: 'vllm-omni', word_timestamps: true }, { text: 'No.' })).rejects.toThrow()
    await speak({ profile: 'vllm-omni', word_timestamps: true })
    expect(server.calls.map(({ body }) => body.word_timestamps)).toEqual([true, undefined, true])
  })
})

describe('what is sent', () => {
  const plain = { model: 'tts', input: TEXT, voice: 'Vivian', response_format: 'wav' }
  const common = { ...plain, stream: false }
  const request = { language: 'English', styleInstruction: 'Calm.', seed: 7, expectedSeconds: 20 } as const
  const qwen = { ...common, instructions: 'Calm.', seed: 7, max_new_tokens: 750 }

  test.each([
    ['vllm-omni', { ...qwen, language: 'English', task_type: 'CustomVoice' }],
    ['sglang-omni', { ...qwen, language: 'english', task_type: 'CustomVoice' }],
    ['nari', { ...qwen, language: 'english' }],
    ['kokoro', common],
    ['speaches', plain],
    ['generic', { ...common, instructions: 'Calm.', seed: 7, language: 'English' }],
  ])('%s gets exactly the fields that it knows', async (profile, body) => {
    expect(await sentBy(profile, request)).toEqual(body)
  })

  test.each([
    ['vllm-omni', 'Auto'],
    ['sglang-omni', 'auto'],
    ['nari', 'auto'],
    ['kokoro', undefined],
    ['generic', undefined],
  ])('%s spells auto %s', async (profile, language) => {
    expect((await sentBy(profile))?.language).toBe(language)
  })

  test('max_new_tokens is three times the estimate in codec frames, between bounds', async () => {
    expect((await sentBy('vllm-omni', { expectedSeconds: 0.2 }))?.max_new_tokens).toBe(128)
    expect((await sentBy('vllm-omni', { expectedSeconds: 400 }))?.max_new_tokens).toBe(4096)
  })

  test('a speed is sent to those that have one, and refused for the one that has not', async () => {
    expect((await sentBy('kokoro', { speed: 1.5 }))?.speed).toBe(1.5)
    expect(await sentBy('nari', { speed: 1 })).not.toHaveProperty('speed')
    await expect(sentBy('nari', { speed: 1.5 })).rejects.toEqual(fails('RENDER_FAILED'))
  })

  test('a reference voice without a text speaks at vLLM-Omni by the sound of its recording alone', async () => {
    for (const referenceText of [null, ' ']) {
      const body = await sentBy('vllm-omni', { voice: { ...reference, referenceText } })
      expect(body).toMatchObject({ task_type: 'Base', x_vector_only_mode: true })
      expect(body).not.toHaveProperty('ref_text')
    }
    const untold = { voice: { ...reference, referenceText: null } }
    const ofEndpoint = (extra: Record<string, unknown>) => sentBy('vllm-omni', { ...untold, extra })
    expect(await ofEndpoint({ x_vector_only_mode: false })).toMatchObject({ x_vector_only_mode: false })
    const told = await ofEndpoint({ ref_text: 'So.' })
    expect([told?.ref_text, told?.x_vector_only_mode]).toEqual(['So.', undefined])
    for (const body of [
      await sentBy('vllm-omni', { voice: reference }),
      await sentBy('vllm-omni', untold, { task_type: 'CustomVoice' }),
      await sentBy('sglang-omni', untold),
      await sentBy('generic', untold),
    ])
      expect(body).not.toHaveProperty('x_vector_only_mode')
  })

  test('a reference voice goes as a data URL with its text', async () => {
    const body = await sentBy('vllm-omni', { voice: reference })
    const ref_audio = `data:audio/wav;base64,${Buffer.from('RIFFxxxxWAVE').toString('base64')}`
    expect(body).toMatchObject({ task_type: 'Base', ref_audio, ref_text: 'What the recording says.' })
    expect(body).not.toHaveProperty('voice')
    expect((await sentBy('sglang-omni', { voice: reference }))?.voice).toBe('default')
    const flac = { ...reference, referenceAudio: new TextEncoder().encode('fLaC…') }
    expect((await sentBy('vllm-omni', { voice: flac }))?.ref_audio).toMatch(/^data:audio\/flac;base64,/)
    const plain = await sentBy('generic', { voice: reference })
    expect(plain).toMatchObject({ ref_audio, ref_text: 'What the recording says.' })
    expect(plain).not.toHaveProperty('task_type')
    await expect(sentBy('kokoro', { voice: reference })).rejects.toEqual(fails('RENDER_FAILED', /host/))
  })

  test('the task type of the block wins', async () => {
    expect((await sentBy('vllm-omni', {}, { task_type: 'VoiceDesign' }))?.task_type).toBe('VoiceDesign')
  })

  test('an instruction over 500 characters is cut at a word', async () => {
    const body = await sentBy('vllm-omni', { styleInstruction: 'calm '.repeat(200) })
    expect(body?.instructions).toBe('calm '.repeat(100).trim())
    const second = await sentBy('vllm-omni', { styleInstruction: `ab ${'calm '.repeat(200)}` })
    expect(second?.instructions).toBe(`ab ${'calm '.repeat(99)}`.trim())
  })

  test('inputs without a meaning pass as they are, and replace no field', async () => {
    const body = await sentBy('kokoro', { extra: { temperature: 0.5, input: 'other', stream: true } })
    expect(body).toEqual({ ...common, temperature: 0.5 })
  })

  test('the API key is the variable that api_key_env names', async () => {
    await speak({ api_key_env: 'SPEECH_KEY' })
    expect(server.calls[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    await speak()
    expect(server.calls[1]?.headers.authorization).toBeUndefined()
    await expect(speak({ api_key_env: 'ABSENT' })).rejects.toEqual(fails('INTERNAL_ERROR', /ABSENT/))
  })

  test.each(['', '/', '/v1', '/v1/'])('a base_url that ends with "%s" is understood', async (end) => {
    await speak({ base_url: `${server.url}${end}` })
    expect(server.calls).toHaveLength(1)
  })
})

describe('what comes back', () => {
  test('the sizes of a streaming header are not believed', async () => {
    server.answer(() => ({ seconds: 1, streamingHeader: true, slowMs: 1 }))
    expect(durationMs((await speak()).audio)).toBe(1000)
  })

  test('X-Finish-Reason: length is truncated', async () => {
    server.answer(() => ({ headers: { 'x-finish-reason': 'length' } }))
    expect((await speak()).truncated).toBe(true)
    server.answer(() => ({ headers: { 'x-finish-reason': 'stop' } }))
    expect((await speak()).truncated).toBe(false)
  })

  test('more audio than the text can be is given up', async () => {
    server.answer(() => ({ seconds: 200 }))
    await expect(speak({}, { expectedSeconds: 2 })).rejects.toEqual(fails('RENDER_FAILED', /longer/))
    await expect.poll(() => server.inFlight()).toBe(0)
  })

  const openai = (message: string) => ({ error: { message, type: 'BadRequest', param: null, code: 400 } })
  test.each([
    [429, openai('slow down'), 'PROVIDER_BUSY', /slow down/],
    [503, { detail: 'The queue is full' }, 'PROVIDER_BUSY', /queue is full/],
    [503, { detail: 'Model is loading' }, 'PROVIDER_UNAVAILABLE', /loading/],
    [500, openai('CUDA error'), 'PROVIDER_UNAVAILABLE', /CUDA/],
    [502, {}, 'PROVIDER_UNAVAILABLE', /502/],
    [504, {}, 'PROVIDER_UNAVAILABLE', /504/],
    [400, openai('TTS model did not produce audio output.'), 'PROVIDER_UNAVAILABLE', /audio output/],
    [400, { detail: { error: 'x', message: 'Speech generation failed', type: 'y' } }, 'PROVIDER_UNAVAILABLE', /failed/],
    [
      400,
      { detail: { error: 'validation_error', message: 'Voice not found', type: 'z' } },
      'RENDER_FAILED',
      /Voice not/,
    ],
    [404, openai('The model does not exist'), 'INTERNAL_ERROR', /does not exist/],
    [404, { detail: 'Voice file not found' }, 'RENDER_FAILED', /not found/],
    [409, {}, 'RENDER_FAILED', /409/],
    [413, {}, 'RENDER_FAILED', /413/],
    [
      422,
      { detail: [{ loc: ['body', 'seed'], msg: 'must be an integer', type: 'int', input: TEXT }] },
      'RENDER_FAILED',
      /body.seed must be an integer/,
    ],
    [401, openai('bad key'), 'INTERNAL_ERROR', /bad key/],
    [302, {}, 'INTERNAL_ERROR', /302/],
  ] as const)('%d %j is %s', async (status, json, code, message) => {
    server.answer(() => ({ status, json }))
    await expect(speak()).rejects.toEqual(fails(code, message))
  })

  test('no word of the text is in an error that quotes it', async () => {
    server.answer(() => ({ status: 400, json: { detail: `Cannot speak "${TEXT}" nor 你好世界` } }))
    const error = await speak({}, { text: `${TEXT} 你好世界，再见` }).catch((thrown: Error) => thrown)
    expect((error as Error).message).toContain('Cannot speak')
    expect((error as Error).message).not.toMatch(/weather|lovely|today|你|世/)
  })

  test.each([
    ['a reset connection', { reset: true }, /cannot be reached/],
    ['a body that is cut', { seconds: 2, cut: true }, /broke off its answer/],
  ])('%s is PROVIDER_UNAVAILABLE', async (_, reply, message) => {
    server.answer(() => reply)
    await expect(speak()).rejects.toEqual(fails('PROVIDER_UNAVAILABLE', message))
  })

  test('a server that is not there is PROVIDER_UNAVAILABLE', async () => {
    const gone = await startSpeechServer()
    await gone.close()
    await expect(speak({ base_url: gone.url })).rejects.toEqual(fails('PROVIDER_UNAVAILABLE', /ECONNREFUSED/))
  })
})

describe('in time', () => {
  test('an abort closes the request, whether it hangs or trickles', async () => {
    for (const reply of [{ hang: true }, { seconds: 5, slowMs: 5000 }]) {
      server.answer(() => reply)
      const before = server.abandoned()
      const controller = new AbortController()
      const outcome = speak({}, { signal: controller.signal }).catch((error: unknown) => error)
      await expect.poll(() => server.inFlight()).toBe(1)
      controller.abort(new Error('cancelled'))
      expect(await outcome).toEqual(new Error('cancelled'))
      await expect.poll(() => server.abandoned()).toBe(before + 1)
    }
  })

  test('no more than max_in_flight requests are open, over all endpoints on the server', async () => {
    const own = await startSpeechServer()
    own.answer(() => ({ delayMs: 20 }))
    const blocks = [0, 1].map((n) => ({ base_url: own.url, max_in_flight: 3, model: `model ${n}` }))
    await Promise.all(Array.from({ length: 20 }, (_, n) => speak(blocks[n % 2])))
    expect(own.mostInFlight()).toBe(3)
    expect(own.calls).toHaveLength(20)
    // A slot is free a moment before its connection is: few more than three, and all of them used again.
    expect(own.connections()).toBeLessThanOrEqual(6)
    await own.close()
  })

  test('of those that wait for a slot when the server dies hardly any asks it', async () => {
    const own = await startSpeechServer()
    own.answer(() => ({ delayMs: 100, reset: true }))
    const block = { base_url: own.url, max_in_flight: 4, retry_seconds: 2 }
    const outcomes = await Promise.allSettled(Array.from({ length: 32 }, () => speak(block)))
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    // Those in flight when the fifth failed, and then one a pause: after 1 s, and 2 s after that.
    expect(own.calls.length).toBeLessThanOrEqual(10)
    await own.close()
  })

  test('one that is aborted while it waits for a slot is never sent', async () => {
    server.answer(() => ({ hang: true }))
    const controllers = [0, 1].map(() => new AbortController())
    const outcomes = controllers.map(({ signal }) => speak({ max_in_flight: 1 }, { signal }).catch(() => 'ended'))
    await expect.poll(() => server.inFlight()).toBe(1)
    controllers[1]?.abort()
    expect(await outcomes[1]).toBe('ended')
    controllers[0]?.abort()
    await outcomes[0]
    expect(server.calls).toHaveLength(1)
  })

  test('the connections of a server that is not used any more are closed', async () => {
    const idle = openEngines({ threads: 1, log: openLog('silent'), lookUp: () => undefined, idleMs: 50 })
    const block = { kind: 'openai-speech', base_url: server.url, model: 'tts' }
    const request = { text: TEXT, voice: preset, signal: new AbortController().signal, extra: {} }
    await idle.use(block, async (engine) => {
      await engine.speak(request)
      expect(server.openConnections()).toBe(1)
    })
    await expect.poll(() => server.openConnections()).toBe(0)
    await idle.use(block, (engine) => engine.speak(request))
    expect(server.calls).toHaveLength(2)
    await idle.close()
  })
})
