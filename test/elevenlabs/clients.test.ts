import type { ReadableStream } from 'node:stream/web'
import { createElevenLabs } from '@ai-sdk/elevenlabs'
import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js'
import { generateSpeech } from 'ai'
import { ElevenLabsClient as EarlierClient, ElevenLabsError as EarlierError } from 'elevenlabs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import { type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const TEXT = 'This is what clients say.'
const VOICES = [
  { slug: 'anna', name: 'Anna', description: '', kind: 'preset', engine_voice: 'a' },
  { slug: 'bert', name: 'Bert', description: '', kind: 'preset', engine_voice: 'b' },
]

let service: TestRuntime
let server: SpeechServer
let [key, account] = ['', '']
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
  await applyEndpoint(service.runtime, 'pair', engine, { voices: VOICES })
  const caller = await service.createCaller()
  key = caller.key
  account = caller.account
})
afterAll(async () => {
  await service.close()
  await server.close()
})

const client = (apiKey = key) => new ElevenLabsClient({ apiKey, baseUrl: service.url, maxRetries: 0 })
const earlier = (apiKey = key) => new EarlierClient({ apiKey, baseUrl: service.url })
const bytesOf = async (
  stream: ReadableStream<Uint8Array> | globalThis.ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>,
) => {
  const parts: Uint8Array[] = []
  for await (const part of stream as AsyncIterable<Uint8Array>) parts.push(part)
  return Buffer.concat(parts)
}
const isMp3 = async (bytes: Uint8Array) => (await service.runtime.audio.decode(bytes, 'mp3')).samples.length > 10_000

describe('@elevenlabs/elevenlabs-js', () => {
  test('converts and streams', async () => {
    const { textToSpeech } = client()
    expect(await isMp3(await bytesOf(await textToSpeech.convert('clara', { text: TEXT })))).toBe(true)
    const request = {
      text: TEXT,
      modelId: 'eleven_flash_v2_5',
      outputFormat: 'pcm_16000',
      voiceSettings: { speed: 1.2 },
    } as const
    const { data, rawResponse } = await textToSpeech.stream('clara', request).withRawResponse()
    expect((await bytesOf(data)).length).toBeGreaterThan(20_000)
    expect(rawResponse.headers.get('character-cost')).toBe(String(TEXT.length))
    expect(rawResponse.headers.get('history-item-id')).toMatch(/^job_/)
  })

  test('gets the times of the characters, at once and as they come', async () => {
    const { textToSpeech } = client()
    const timed = await textToSpeech.convertWithTimestamps('clara', { text: TEXT })
    expect(timed.alignment?.characters.join('')).toBe(TEXT)
    expect(timed.normalizedAlignment?.characterEndTimesSeconds).toHaveLength(TEXT.length)
    const characters: string[] = []
    const audio: Buffer[] = []
    for await (const chunk of await textToSpeech.streamWithTimestamps('clara', { text: TEXT })) {
      audio.push(Buffer.from(chunk.audioBase64, 'base64'))
      characters.push(...(chunk.alignment?.characters ?? []))
    }
    expect(characters.join('')).toBe(TEXT)
    expect(await isMp3(Buffer.concat(audio))).toBe(true)
  })

  test('speaks a dialogue as one job, each turn by its voice, charged by the characters of the turns', async () => {
    server.answer(() => ({}))
    server.calls.length = 0
    const inputs = [
      { text: 'Knock & knock <you>.', voiceId: 'pair:anna' },
      { text: 'Who is there?', voiceId: 'pair:bert' },
      { text: 'A client.', voiceId: 'pair:anna' },
    ]
    const { data, rawResponse } = await client().textToDialogue.convert({ inputs }).withRawResponse()
    expect(await isMp3(await bytesOf(data))).toBe(true)
    expect(server.calls.map(({ body }) => [body.input, body.voice])).toEqual(
      expect.arrayContaining([
        ['Knock & knock <you>.', 'a'],
        ['Who is there?', 'b'],
        ['A client.', 'a'],
      ]),
    )
    const characters = inputs.reduce((sum, { text }) => sum + text.length, 0)
    expect(rawResponse.headers.get('character-cost')).toBe(String(characters))
    const { rows } = await service.runtime.db.pool.query(`select cost, status from job where id = $1`, [
      rawResponse.headers.get('history-item-id'),
    ])
    expect(rows).toEqual([{ cost: String(characters), status: 'completed' }])
    expect(await isMp3(await bytesOf(await client().textToDialogue.stream({ inputs })))).toBe(true)
    const wrong = [inputs[0]!, { text: 'Who?', voiceId: 'clara' }]
    await expect(client().textToDialogue.convert({ inputs: wrong })).rejects.toMatchObject({ statusCode: 404 })
    await expect(client().textToDialogue.convert({ inputs: [] })).rejects.toMatchObject({
      statusCode: 422,
      body: { detail: [{ loc: ['body', 'inputs'] }] },
    })
  })

  test('gets the times and voices of a dialogue, at once and as it comes', async () => {
    server.answer(() => ({}))
    const inputs = [
      { text: 'Knock & knock <you>.', voiceId: 'pair:anna' },
      { text: 'Who is there 👋🏽?', voiceId: 'pair:bert' },
      { text: 'A client.', voiceId: 'pair:anna' },
    ]
    const all = inputs.map(({ text }) => text).join('')
    const timed = await client().textToDialogue.convertWithTimestamps({ inputs, outputFormat: 'pcm_16000' })
    const { characters, characterStartTimesSeconds: starts, characterEndTimesSeconds: ends } = timed.alignment!
    expect(characters.join('')).toBe(all)
    expect(ends.at(-1)).toBeCloseTo(Buffer.from(timed.audioBase64, 'base64').length / 32_000, 1)
    expect(
      timed.voiceSegments.map((one) => [
        one.voiceId,
        one.dialogueInputIndex,
        characters.slice(one.characterStartIndex, one.characterEndIndex).join(''),
        one.startTimeSeconds === starts[one.characterStartIndex] && one.endTimeSeconds > one.startTimeSeconds,
      ]),
    ).toEqual(inputs.map(({ text, voiceId }, index) => [voiceId, index, text, true]))
    const heard: [string, string][] = []
    let [audio, last] = [0, 0]
    for await (const chunk of await client().textToDialogue.streamWithTimestamps({
      inputs,
      outputFormat: 'pcm_16000',
    })) {
      audio += Buffer.from(chunk.audioBase64, 'base64').length
      for (const {
        voiceId,
        characterStartIndex: from,
        characterEndIndex: to,
        startTimeSeconds,
      } of chunk.voiceSegments) {
        heard.push([voiceId, chunk.alignment!.characters.slice(from, to).join('')])
        expect(startTimeSeconds).toBeGreaterThanOrEqual(last)
        last = startTimeSeconds
      }
    }
    expect(audio).toBeGreaterThan(30_000)
    for (const { voiceId, text } of inputs)
      expect(
        heard
          .filter(([one]) => one === voiceId)
          .map(([, own]) => own)
          .join(''),
      ).toContain(text)
    expect(heard.map(([, text]) => text).join('')).toBe(all)
  })

  test('lists voices, models and what is left', async () => {
    const { voices } = await client().voices.getAll()
    expect(voices.map(({ voiceId }) => voiceId)).toEqual(expect.arrayContaining(['clara', 'pair:anna']))
    expect(await client().voices.get('pair:bert')).toMatchObject({ name: 'Bert', category: 'premade' })
    const page = await client().voices.search({ pageSize: 1, search: 'er' })
    expect([page.voices.length, page.hasMore]).toEqual([1, page.totalCount > 1])
    const next = await client().voices.search({ pageSize: 1, search: 'er', nextPageToken: page.nextPageToken! })
    expect(next.voices[0]?.voiceId).not.toBe(page.voices[0]?.voiceId)
    const models = await client().models.list()
    expect(models.find(({ modelId }) => modelId === 'eleven_multilingual_v2')).toMatchObject({
      canDoTextToSpeech: true,
    })
    const user = await client().user.get()
    expect(user.userId).toBe(account)
    const { characterLimit } = await client().user.subscription.get()
    expect(characterLimit).toBe(user.subscription.characterLimit)
  })

  test('throws its errors with their status', async () => {
    const wrong = client('snt_wrong').textToSpeech.convert('clara', { text: TEXT })
    await expect(wrong).rejects.toThrow(ElevenLabsError)
    await expect(wrong).rejects.toMatchObject({ statusCode: 401, body: { detail: { status: 'invalid_api_key' } } })
    await expect(client().voices.get('nobody')).rejects.toMatchObject({
      body: { detail: { status: 'voice_not_found' } },
    })
    await expect(client().textToSpeech.convert('clara', { text: TEXT, languageCode: 'xx' })).rejects.toMatchObject({
      statusCode: 422,
      body: { detail: [{ loc: ['body', 'language_code'] }] },
    })
  })
})

describe('elevenlabs, the earlier client', () => {
  test('converts, streams and gets times', async () => {
    const { textToSpeech } = earlier()
    expect(await isMp3(await bytesOf(await textToSpeech.convert('clara', { text: TEXT })))).toBe(true)
    expect(await isMp3(await bytesOf(await textToSpeech.convertAsStream('clara', { text: TEXT })))).toBe(true)
    const timed = await textToSpeech.convertWithTimestamps('clara', { text: TEXT })
    expect(timed.alignment?.characters.join('')).toBe(TEXT)
    const characters: string[] = []
    for await (const chunk of await textToSpeech.streamWithTimestamps('clara', { text: TEXT }))
      characters.push(...(chunk.alignment?.characters ?? []))
    expect(characters.join('')).toBe(TEXT)
  })

  test('finds a voice by its name and speaks with it', async () => {
    const audio = await earlier().generate({ voice: 'Clara', text: TEXT, model_id: 'eleven_multilingual_v2' })
    expect(await isMp3(await bytesOf(audio))).toBe(true)
  })

  test('lists, and throws its errors', async () => {
    expect((await earlier().voices.search({ search: 'clara' })).total_count).toBe(1)
    expect((await earlier().voices.get('clara')).name).toBe('Clara')
    expect((await earlier().models.getAll()).map(({ model_id }) => model_id)).toContain('pair')
    expect((await earlier().user.get()).subscription.character_limit).toBe(
      (await earlier().user.getSubscription()).character_limit,
    )
    await expect(earlier('snt_wrong').user.get()).rejects.toThrow(EarlierError)
  })
})

describe('@ai-sdk/elevenlabs', () => {
  /** It has no setting for the address. */
  const here = createElevenLabs({
    get apiKey() {
      return key
    },
    fetch: (input, init) => fetch(String(input).replace('https://api.elevenlabs.io', service.url), init),
  })

  test('generates speech', async () => {
    const { audio } = await generateSpeech({
      model: here.speech('eleven_flash_v2_5'),
      text: TEXT,
      voice: 'clara',
      language: 'en',
    })
    expect(audio.mediaType).toBe('audio/mpeg')
    expect(await isMp3(audio.uint8Array)).toBe(true)
    const pcm = await generateSpeech({
      model: here.speech('pair'),
      text: TEXT,
      voice: 'bert',
      outputFormat: 'pcm_16000',
    })
    expect(pcm.audio.uint8Array.length).toBeGreaterThan(10_000)
  })

  test('shows why nothing is spoken', async () => {
    const model = here.speech('eleven_flash_v2_5')
    await expect(generateSpeech({ model, text: TEXT, voice: 'nobody', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 404,
      responseBody: expect.stringContaining('voice_not_found'),
    })
  })
})
