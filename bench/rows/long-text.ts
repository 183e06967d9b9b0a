import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { request } from 'undici'
import { inParallel } from '../../src/concurrency/in-parallel.ts'
import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { openLog } from '../../src/values/log.ts'
import { splitText } from '../../src/voice/split.ts'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import type { Measure, Row } from '../measure.ts'
import { residentMb } from '../process.ts'
import { speechRequest } from '../sentences.ts'

const SENTENCES = [
  'The train to Edinburgh leaves in the morning, and nobody waits for those who are late.',
  'Nobody in the village had seen such a winter, and the old people said that the river would freeze before the month was out.',
  'It was a quiet evening, the kind of evening that asks for nothing and gives little, yet stays in the memory for years.',
  'He did not answer.',
  'The house stood between a bakery and a shop that sold maps of places nobody visited.',
]
const SENTENCES_OF_PARAGRAPH = 7
const PARAGRAPHS_OF_CHAPTER = 25
const MOST_CHARACTERS = 1_000_000
const QUICK_CHARACTERS = 100_000
const VOICE = 'en-us+shelby@66'
const GPU_SLOTS = 8
const GPU_CHUNK_MS = 1000
const POLL_MS = 200
const { rate: RATE, beyondMb: BEYOND_MB } = GOALS.longText

/**
 * One job of a million characters (quick: 100,000) from its start to its end, through the embedded engine and through a server that takes
 * a second for a chunk, eight at once. The floor is the engine alone with the chunks that the worker makes: the same engine in this process,
 * the server's time by its slots. The memory is the most of the service beyond what it held before.
 */
export const longText: Row = {
  name: 'long-text',
  what: 'one job of 1,000,000 characters (quick: 100,000)',
  reach: `>= ${RATE} of the engine alone, <= ${BEYOND_MB} MiB more memory`,
  run: async (environment) => {
    const text = textOf(environment.quick ? QUICK_CHARACTERS : MOST_CHARACTERS)
    const server = await environment.floor('speech-server', {
      DELAY_MS: String(GPU_CHUNK_MS),
      SECONDS_PER_CHARACTER: '0.06',
    })
    await applyEndpoints(environment, server.url)
    const builtIn = await measured(environment, text, 'built-in')
    const alone = await engineAlone(text)
    const gpu = await measured(environment, text, 'gpu')
    const gpuAlone = (Math.ceil(splitText(text, 'English').length / GPU_SLOTS) * GPU_CHUNK_MS) / 1000
    const measures = [...measuresOf('built-in', text, builtIn, alone), ...measuresOf('GPU', text, gpu, gpuAlone)]
    return { name: 'long-text', measures, notes: [] }
  },
}

interface Measured {
  readonly seconds: number
  /** In MiB. */
  readonly before: number
  readonly most: number
}

async function measured(environment: Environment, text: string, slug: string): Promise<Measured> {
  const service = await environment.serve('start', { MAX_TEXT_CHARACTERS: String(MOST_CHARACTERS) })
  const { apiKey } = await environment.database()
  const speak = async (spoken: string, poll: () => void): Promise<string> => {
    const id = await submit(service.url, apiKey, slug, spoken)
    await finished(service.url, apiKey, id, poll)
    return id
  }
  await speak(SENTENCES[0]!, () => undefined)
  const before = residentMb(service.pid)
  let most = before
  const id = await speak(text, () => {
    most = Math.max(most, residentMb(service.pid))
  })
  await service.stop()
  return { seconds: await secondsOf(environment, id), before, most }
}

function measuresOf(name: string, text: string, { seconds, before, most }: Measured, alone: number): Measure[] {
  const [value, floor, more] = [text.length / seconds, text.length / alone, most - before]
  const rate = { what: `${name}: characters`, unit: 'char/s', floor, value, ratio: value / floor }
  const memory = { what: `${name}: memory beyond ${Math.round(before)} MiB`, unit: 'MiB', floor: null, ratio: null }
  return [
    { ...rate, reach: `>= ${RATE} x floor`, reached: value / floor >= RATE },
    { ...memory, value: more, reach: `<= ${BEYOND_MB}`, reached: more <= BEYOND_MB },
  ]
}

function textOf(characters: number): string {
  let text = ''
  for (let sentence = 0, chapter = 1; text.length < characters; sentence++) {
    const paragraph = Math.floor(sentence / SENTENCES_OF_PARAGRAPH)
    const isFirst = sentence % SENTENCES_OF_PARAGRAPH === 0
    if (isFirst && paragraph % PARAGRAPHS_OF_CHAPTER === 0) text += `\n\nChapter ${chapter++}`
    text += `${isFirst ? '\n\n' : ' '}${SENTENCES[(sentence * 3 + paragraph) % SENTENCES.length]!}`
  }
  return text.trim().slice(0, characters)
}

/** From its start to its end. */
async function secondsOf(environment: Environment, id: string): Promise<number> {
  const client = new Client({ connectionString: (await environment.database()).url })
  await client.connect()
  const text = 'select extract(epoch from completed_at - started_at)::float8 as seconds from job where id = $1'
  const { rows } = await client.query<{ seconds: number }>(text, [id]).finally(() => client.end())
  return rows[0]!.seconds
}

async function submit(url: string, apiKey: string, slug: string, text: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ inputs: { text, voice: 'calm' } })
  const answer = await request(`${url}/api/v1/voice/${slug}`, { method: 'POST', headers, body })
  if (answer.statusCode !== 202)
    throw new Error(`a job was answered with ${answer.statusCode}: ${await answer.body.text()}`)
  return ((await answer.body.json()) as { job_id: string }).job_id
}

async function finished(url: string, apiKey: string, id: string, poll: () => void): Promise<void> {
  for (;;) {
    const answer = await request(`${url}/api/v1/voice/jobs/${id}`, { headers: { authorization: `Bearer ${apiKey}` } })
    const { status } = (await answer.body.json()) as { status: string }
    poll()
    if (status === 'completed') return
    if (status === 'failed') throw new Error('the job failed')
    await wait(POLL_MS)
  }
}

/** Seconds of the engine for all chunks of the text, a thread per core. */
async function engineAlone(text: string): Promise<number> {
  const threads = availableParallelism()
  const engine = openEspeak({ threads, log: openLog('warn') })
  try {
    await engine.warm()
    const chunks = splitText(text, 'English')
    const started = performance.now()
    await inParallel(chunks, threads, async (chunk) => {
      await engine.speak(speechRequest({ text: chunk.text, language: 'English', voice: VOICE }))
    })
    return (performance.now() - started) / 1000
  } finally {
    await engine.close()
  }
}

async function applyEndpoints(environment: Environment, url: string): Promise<void> {
  const file = join(await environment.directory(), 'long-text.json')
  const properties = { text: { type: 'string' }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  const voices = [{ slug: 'calm', name: 'Calm', engine_voice: VOICE }]
  const fixed = { name: 'Bench', published: true, inputs, voices }
  const gpu = { kind: 'openai-speech', base_url: url, model: 'tone', max_in_flight: GPU_SLOTS, pool: 'gpu' }
  const endpoints = [
    { slug: 'built-in', ...fixed, engine: { kind: 'espeak' } },
    { slug: 'gpu', ...fixed, engine: gpu },
  ]
  await writeFile(file, JSON.stringify({ endpoints }))
  await environment.sonant('endpoints', 'apply', file)
}
