import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { openLog } from '../../src/values/log.ts'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { type Measure, median, type Row } from '../measure.ts'
import { SENTENCES, speechRequest } from '../sentences.ts'

const { wavBeyondEngineMs: WAV_ALLOWANCE_MS, mp3BeyondEngineMs: MP3_ALLOWANCE_MS, chunks: MOST_CHUNKS } = GOALS.door
const CHUNK_MS = 500
const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(60)

/**
 * From just before `POST /v1/audio/speech` to the first byte of its audio, to an idle `sonant start`. For a sentence the floor is the embedded
 * engine alone with it; for 60 sentences it is one request to their speech server, which takes half a second for each.
 */
export const door: Row = {
  name: 'door',
  what: "first byte through OpenAI's door",
  reach: `wav <= engine + ${WAV_ALLOWANCE_MS} ms, mp3 <= engine + ${MP3_ALLOWANCE_MS} ms, 60 sentences <= ${MOST_CHUNKS} chunks`,
  run: async (environment) => {
    const { apiKey } = await environment.database()
    const server = await environment.floor('speech-server', {
      DELAY_MS: String(CHUNK_MS),
      SECONDS_PER_CHARACTER: '0.06',
    })
    await applyEndpoint(environment, server.url)
    const service = await environment.serve('start')
    const speak = (body: object) => firstByte(service.url, apiKey, body)
    try {
      const sentences = await oneSentence(speak, environment.quick ? 20 : 60)
      return { name: 'door', measures: [...sentences, await longText(speak, server.url)], notes: [] }
    } finally {
      await service.stop()
      await server.stop()
    }
  },
}

async function oneSentence(speak: (body: object) => Promise<number>, count: number): Promise<Measure[]> {
  const engine = openEspeak({ threads: availableParallelism(), log: openLog('warn') })
  const [wav, mp3, floors]: [number[], number[], number[]] = [[], [], []]
  try {
    await engine.warm()
    for (const { text } of SENTENCES.slice(0, 10))
      for (const format of ['wav', 'mp3']) await speak({ input: text, voice: 'aria', response_format: format })
    for (const sentence of SENTENCES.slice(0, count)) {
      wav.push(await speak({ input: sentence.text, voice: 'aria', response_format: 'wav' }))
      mp3.push(await speak({ input: sentence.text, voice: 'aria', response_format: 'mp3' }))
      const started = performance.now()
      await engine.speak(speechRequest(sentence))
      floors.push(performance.now() - started)
    }
  } finally {
    await engine.close()
  }
  const floor = median(floors)
  const measured = (what: string, values: number[], allowance: number): Measure => {
    const value = median(values)
    const reach = `<= floor + ${allowance} ms`
    return { what, unit: 'ms', floor, value, ratio: value / floor, reach, reached: value <= floor + allowance }
  }
  return [measured('wav: p50', wav, WAV_ALLOWANCE_MS), measured('mp3: p50', mp3, MP3_ALLOWANCE_MS)]
}

async function longText(speak: (body: object) => Promise<number>, url: string): Promise<Measure> {
  const started = performance.now()
  const { body } = await request(url, { method: 'POST', body: JSON.stringify({ input: LONG.slice(0, 77) }) })
  await body.arrayBuffer()
  const floor = performance.now() - started
  const values: number[] = []
  for (let round = 0; round < 3; round++)
    values.push(await speak({ model: 'bench-door', input: LONG, response_format: 'wav' }))
  const value = median(values)
  const reach = `<= ${MOST_CHUNKS} x floor`
  return {
    what: '60 sentences',
    unit: 'ms',
    floor,
    value,
    ratio: value / floor,
    reach,
    reached: value <= MOST_CHUNKS * floor,
  }
}

async function firstByte(url: string, apiKey: string, body: object): Promise<number> {
  const started = performance.now()
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const answer = await request(`${url}/v1/audio/speech`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (answer.statusCode !== 200)
    throw new Error(`speech was answered with ${answer.statusCode}: ${await answer.body.text()}`)
  let first: number | undefined
  // To the end: a job that is left runs on, and would take the next one's place at its engine.
  for await (const _piece of answer.body) first ??= performance.now() - started
  return first ?? Number.POSITIVE_INFINITY
}

async function applyEndpoint(environment: Environment, url: string): Promise<void> {
  const file = join(await environment.directory(), 'door.json')
  const properties = { text: { type: 'string' }, voice: { type: 'string' } }
  const endpoint = {
    slug: 'bench-door',
    name: 'Bench',
    published: true,
    inputs: { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties },
    engine: { kind: 'openai-speech', base_url: url, model: 'tone', max_in_flight: 4, pool: 'door' },
    voices: [{ slug: 'tone', name: 'Tone', engine_voice: 'tone' }],
  }
  await writeFile(file, JSON.stringify({ endpoints: [endpoint] }))
  await environment.sonant('endpoints', 'apply', file)
}
