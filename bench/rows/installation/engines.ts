import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openEngines } from '../../../src/engines/engines.ts'
import { openLog } from '../../../src/values/log.ts'
import { listening } from '../../../test/setup/servers/listening.ts'
import { toneFor } from '../../../test/setup/speech/stand-in-engine.ts'
import { TINY_FAMILIES } from '../../../test/setup/speech/tiny-families.ts'
import { writeModel } from '../../../test/setup/speech/tiny-models.ts'
import { type Environment, freePort } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { atMost, figure, type Measure, median, type Row } from '../../measure.ts'
import { launch, MALLOC } from '../../process.ts'

const SERVERS = 20
const SETTLE_MS = 60_000
const WATCHED_MS = 60_000
const QUICK_MS = 20_000
const TICKS_PER_SECOND = 100
const MS_PER_MINUTE = 60_000
const LOAD_MS = 60_000
const { percent: LIMIT } = GOALS.engines

/**
 * An idle installation asks its engines how they are: this row measures its processor time and requests with 20 speech servers, once
 * each has spoken its first sentence. The floor has none of them. Then how long the tests' models of sherpa-onnx take to load.
 */
export const engines: Row = {
  name: 'engines',
  what: `npm start with ${SERVERS} idle speech servers, over a minute; loading the tests' models`,
  reach: `<= ${LIMIT} % of a core more`,
  run: async (environment) => {
    const bare = await watch(environment, 0)
    const watched = await watch(environment, SERVERS)
    const measures: Measure[] = [
      atMost('processor for the servers', '%', Math.max(0, watched.percent - bare.percent), LIMIT),
      figure('processor', '%', watched.percent, bare.percent),
      figure('requests to each server', '/min', watched.perMinute / SERVERS),
      figure('first sentences', 'of 20', watched.sentences),
      ...(await loads(environment)),
    ]
    return { name: 'engines', measures, notes: [] }
  },
}

async function watch(environment: Environment, servers: number) {
  const settleMs = environment.quick ? QUICK_MS : SETTLE_MS
  const watchedMs = environment.quick ? QUICK_MS : WATCHED_MS
  const asked = { requests: 0, sentences: 0 }
  const speech = await listening(
    createServer((request, response) => {
      asked.requests++
      if (request.method !== 'POST') return void response.writeHead(404).end()
      asked.sentences++
      response.writeHead(200, { 'content-type': 'audio/wav' }).end(toneFor('This is a test.'))
    }),
    0,
  )
  const variables = { ...MALLOC, DATA_DIR: `${await environment.directory()}/data`, LOG_LEVEL: 'warn' }
  const service = await launch(
    ['bin/sonant.js', 'start'],
    { ...variables, PORT: String(await freePort()) },
    /^Sonant listens/,
  )
  try {
    if (servers > 0) await apply(environment, variables, speech.url, servers)
    await wait(settleMs)
    const [seconds, requests] = [processorSeconds(service.pid), asked.requests]
    await wait(watchedMs)
    const percent = (100_000 * (processorSeconds(service.pid) - seconds)) / watchedMs
    return { percent, perMinute: ((asked.requests - requests) * MS_PER_MINUTE) / watchedMs, sentences: asked.sentences }
  } finally {
    await service.stop()
    await speech.close()
  }
}

async function apply(
  environment: Environment,
  variables: Readonly<Record<string, string>>,
  url: string,
  servers: number,
) {
  const properties = { text: { type: 'string', maxLength: 10_000 }, voice: { type: 'string' } }
  const endpoints = Array.from({ length: servers }, (_, at) => ({
    ...{ slug: `bench-${at}`, name: 'Bench', published: true },
    inputs: { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties },
    voices: [{ slug: 'calm', name: 'Calm', engine_voice: 'calm' }],
    engine: { kind: 'openai-speech', base_url: `${url}/${at}`, model: 'tone' },
  }))
  const file = join(await environment.directory(), 'engines.json')
  await writeFile(file, JSON.stringify({ endpoints }))
  const applied = await launch(['bin/sonant.js', 'endpoints', 'apply', file], variables, /applied/)
  await applied.stop()
}

async function loads(environment: Environment): Promise<Measure[]> {
  const modelsDir = await environment.directory()
  const rounds = environment.quick ? 1 : 5
  const measures: Measure[] = []
  for (const [name, [family, files]] of Object.entries(TINY_FAMILIES)) {
    await writeModel(join(modelsDir, name), files())
    const took: number[] = []
    for (let round = 0; round < rounds; round++) took.push(await load(modelsDir, name, family))
    measures.push(figure(`load ${name}`, 'ms', median(took)))
  }
  return measures
}

async function load(modelsDir: string, name: string, family: string): Promise<number> {
  const opened = openEngines({ threads: 1, log: openLog('error'), lookUp: () => undefined, modelsDir })
  const begun = performance.now()
  try {
    const block = { kind: 'sherpa-onnx', family, model_dir: name, threads: 1 }
    await opened.use(block, (engine) => engine.voices(AbortSignal.timeout(LOAD_MS)))
    return performance.now() - begun
  } finally {
    await opened.close()
  }
}

/** In user and kernel mode together. */
function processorSeconds(pid: number): number {
  // The name of the program, in brackets, may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
