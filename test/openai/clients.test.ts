import { createOpenAI } from '@ai-sdk/openai'
import { generateSpeech } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const TEXT = 'This is what clients say.'
const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(12)

let service: TestRuntime
let server: SpeechServer
let key = ''
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
  server = await startSpeechServer()
  const engine = {
    kind: 'openai-speech',
    base_url: server.url,
    model: 'm',
    max_in_flight: 2,
    retry_seconds: 1,
    pool: 'gpu',
  }
  const properties = { text: { type: 'string', maxLength: 5000 }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  await applyEndpoint(service.runtime, 'gpu', engine, { inputs })
  key = (await service.createCaller()).key
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const baseURL = () => `${service.url}/v1`
const isMp3 = async (bytes: Uint8Array) => (await service.runtime.audio.decode(bytes, 'mp3')).samples.length > 10_000

describe('openai', () => {
  test('reads the first sound of a long text while the engine still speaks the rest', async () => {
    const held = Promise.withResolvers<void>()
    // The opening is short; what follows waits.
    server.answer(({ body }) => (String(body.input).length < 100 ? {} : { until: held.promise }))
    const client = new OpenAI({ apiKey: key, baseURL: baseURL(), maxRetries: 0 })
    const speech = await client.audio.speech.create({
      model: 'gpu',
      voice: 'calm',
      input: LONG,
      response_format: 'pcm',
    })
    const reader = speech.body!.getReader()
    const first = await reader.read()
    expect(first.value!.length).toBeGreaterThan(0)
    held.resolve()
    let bytes = first.value!.length
    for (let next = await reader.read(); !next.done; next = await reader.read()) bytes += next.value.length
    expect(bytes).toBeGreaterThan(10 * first.value!.length)
  })
})

describe('@ai-sdk/openai', () => {
  test('generates speech', async () => {
    server.answer(() => ({}))
    const openai = createOpenAI({ apiKey: key, baseURL: baseURL() })
    const { audio } = await generateSpeech({ model: openai.speech('tts-1'), text: TEXT, voice: 'nova' })
    expect(audio.mediaType).toBe('audio/mpeg')
    expect(await isMp3(audio.uint8Array)).toBe(true)
    const wav = await generateSpeech({
      model: openai.speech('gpt-4o-mini-tts'),
      text: TEXT,
      outputFormat: 'wav',
      instructions: 'Calm.',
      speed: 1.2,
    })
    expect(Buffer.from(wav.audio.uint8Array.subarray(0, 4)).toString()).toBe('RIFF')
  })

  test('shows why nothing is spoken', async () => {
    const openai = createOpenAI({ apiKey: key, baseURL: baseURL() })
    await expect(generateSpeech({ model: openai.speech('nothing'), text: TEXT, maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 404,
      message: expect.stringContaining('does not exist'),
    })
    const stranger = createOpenAI({ apiKey: 'snt_wrong', baseURL: baseURL() })
    await expect(generateSpeech({ model: stranger.speech('tts-1'), text: TEXT })).rejects.toMatchObject({
      statusCode: 401,
    })
  })
})
