import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { request } from 'undici'
import { openEspeak } from '../../src/engines/espeak/espeak.ts'
import { openLog } from '../../src/values/log.ts'
import { splitText } from '../../src/voice/split.ts'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { figure, type Measure, median, quantile, type Row } from '../measure.ts'
import { speechRequest } from '../sentences.ts'

const JOBS = 40
const CHARACTERS = 9000
const LONG = 'The train leaves at half past nine, and nobody waits for those who are late. '
  .repeat(CHARACTERS / 50)
  .slice(0, CHARACTERS)
const SENTENCE = 'Please listen: we will meet at the station and walk along the river.'
const VOICE = 'en-us+shelby@66'
const GPU_SLOTS = 8
const GPU_CHUNK_MS = 1000
const ALONE_MS = 10_000
const POLL_MS = 20
const WARM_UP = 5
const { quiet: QUIET, beyondChunkMs: BEYOND_CHUNK_MS } = GOALS.liveBesideBatch

interface Side {
  readonly name: string
  readonly slug: string
  readonly slots: number
  readonly chunkMs: number
}

/**
 * From just before `POST /v1/audio/speech` with a sentence to the first byte of its audio, behind 40 jobs of 9,000 characters of the same
 * account; the floor is the same without them. The jobs' chunks are counted for ten seconds alone, then beside the sentences.
 */
export const liveBesideBatch: Row = {
  name: 'live-beside-batch',
  what: "first byte through OpenAI's door behind 40 long jobs of the account",
  reach: `p50 <= ${QUIET} x quiet + one chunk / slots, p99 <= quiet + one chunk + ${BEYOND_CHUNK_MS} ms`,
  run: async (environment) => {
    const server = await environment.floor('speech-server', {
      DELAY_MS: String(GPU_CHUNK_MS),
      SECONDS_PER_CHARACTER: '0.06',
    })
    const sides: readonly Side[] = [
      { name: 'built-in', slug: 'bench-built-in', slots: availableParallelism(), chunkMs: await builtInChunkMs() },
      { name: 'GPU', slug: 'bench-gpu', slots: GPU_SLOTS, chunkMs: GPU_CHUNK_MS },
    ]
    await applyEndpoints(environment, server.url)
    const measures: Measure[] = []
    for (const side of sides) measures.push(...(await measureSide(environment, side)))
    await server.stop()
    const notes = sides.map(({ name, chunkMs }) => `a chunk of ${name} takes ${Math.round(chunkMs)} ms alone`)
    return { name: 'live-beside-batch', measures, notes }
  },
}

async function measureSide(environment: Environment, side: Side): Promise<Measure[]> {
  const { url } = await environment.database()
  const service = await environment.serve('start', { SHUTDOWN_SECONDS: '1' })
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { apiKey } = await environment.database()
    const speak = (count: number) => firstBytes(service.url, apiKey, side.slug, count)
    const count = environment.quick ? 30 : 100
    await speak(WARM_UP)
    const quiet = await speak(count)
    const ids = await Promise.all(Array.from({ length: JOBS }, () => submit(service.url, apiKey, side.slug)))
    const chunks = () => countChunks(client, ids)
    while ((await chunks()) === 0) await wait(POLL_MS)
    const alone = await rateOf(chunks, () => wait(ALONE_MS))
    let beside: number[] = []
    const shared = await rateOf(chunks, async () => {
      beside = await speak(count)
    })
    await client.query(
      `update job set status = 'failed', error_code = 'JOB_CANCELLED', completed_at = now()
      where id = any($1) and status in ('queued', 'processing')`,
      [ids],
    )
    return measuresOf(side, quiet, beside, { alone, shared })
  } finally {
    await client.end()
    await service.stop()
  }
}

function measuresOf(
  { name, slots, chunkMs }: Side,
  quiet: readonly number[],
  beside: readonly number[],
  { alone, shared }: { readonly alone: number; readonly shared: number },
): Measure[] {
  const [usual, most] = [median(quiet), median(quiet) + chunkMs + BEYOND_CHUNK_MS]
  const limits = { p50: QUIET * usual + chunkMs / slots, p99: most }
  const measured = (what: 'p50' | 'p99', share: number): Measure => {
    const [value, floor, limit] = [quantile(beside, share), quantile(quiet, share), limits[what]]
    const reach = `<= ${Math.round(limit)} ms`
    return { what: `${name}: ${what}`, unit: 'ms', floor, value, ratio: value / floor, reach, reached: value <= limit }
  }
  return [
    measured('p50', 0.5),
    measured('p99', 0.99),
    figure(`${name}: chunks of the jobs beside sentences`, 'chunks/s', shared, alone),
  ]
}

async function firstBytes(url: string, apiKey: string, model: string, count: number): Promise<number[]> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model, input: SENTENCE, voice: 'calm', response_format: 'wav' })
  const times: number[] = []
  for (let n = 0; n < count; n++) {
    const started = performance.now()
    const answer = await request(`${url}/v1/audio/speech`, { method: 'POST', headers, body })
    if (answer.statusCode !== 200)
      throw new Error(`speech was answered with ${answer.statusCode}: ${await answer.body.text()}`)
    let first: number | undefined
    for await (const _piece of answer.body) first ??= performance.now() - started
    times.push(first ?? Number.POSITIVE_INFINITY)
  }
  return times
}

async function submit(url: string, apiKey: string, slug: string): Promise<string> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ inputs: { text: LONG, voice: 'calm' } })
  const answer = await request(`${url}/api/v1/voice/${slug}`, { method: 'POST', headers, body })
  if (answer.statusCode !== 202) throw new Error(`a job was answered with ${answer.statusCode}`)
  return ((await answer.body.json()) as { job_id: string }).job_id
}

async function countChunks(client: Client, ids: readonly string[]): Promise<number> {
  const text = 'select coalesce(sum(chunks_done), 0)::integer as chunks from job where id = any($1)'
  return (await client.query<{ chunks: number }>(text, [ids])).rows[0]!.chunks
}

/** Chunks a second while something is done. */
async function rateOf(chunks: () => Promise<number>, work: () => Promise<unknown>): Promise<number> {
  const [before, begun] = [await chunks(), performance.now()]
  await work()
  return ((await chunks()) - before) / ((performance.now() - begun) / 1000)
}

async function builtInChunkMs(): Promise<number> {
  const engine = openEspeak({ threads: 1, log: openLog('warn') })
  const times: number[] = []
  try {
    await engine.warm()
    for (const { text } of splitText(LONG, 'English').slice(0, 10)) {
      const started = performance.now()
      await engine.speak(speechRequest({ text, language: 'English', voice: VOICE }))
      times.push(performance.now() - started)
    }
  } finally {
    await engine.close()
  }
  return median(times)
}

async function applyEndpoints(environment: Environment, url: string): Promise<void> {
  const file = join(await environment.directory(), 'live-beside-batch.json')
  const properties = { text: { type: 'string', maxLength: 10_000 }, voice: { type: 'string' } }
  const inputs = { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties }
  const voices = [{ slug: 'calm', name: 'Calm', engine_voice: VOICE }]
  const fixed = { name: 'Bench', published: true, inputs, voices }
  const gpu = { kind: 'openai-speech', base_url: url, model: 'tone', max_in_flight: GPU_SLOTS }
  const endpoints = [
    { slug: 'bench-built-in', ...fixed, engine: { kind: 'espeak', pool: 'bench-built-in' } },
    { slug: 'bench-gpu', ...fixed, engine: { ...gpu, pool: 'bench-gpu' } },
  ]
  await writeFile(file, JSON.stringify({ endpoints }))
  await environment.sonant('endpoints', 'apply', file)
}
