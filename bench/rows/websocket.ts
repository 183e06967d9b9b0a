import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { atMost, median, quantile, type Row } from '../measure.ts'
import { residentMb } from '../process.ts'

const ENGINE_MS = 50
const CONNECTIONS = 200
const EVERY_MS = 2000
const WARM_UP = 5
const SENTENCE = 'Please listen: we will meet at the station and walk along the river. '
const { beyondEngineMs: BEYOND_ENGINE_MS, manyP99Ms: MANY_P99_MS, residentMb: RESIDENT_MB } = GOALS.websocket

/**
 * From the last character of a text's first sentence, sent over `stream-input`, to the first message with audio; a scripted engine of
 * 50 ms is subtracted. Then 200 connections of one `sonant start`, each a sentence in two seconds of one growing text.
 */
export const websocket: Row = {
  name: 'websocket',
  what: 'first audio of a sentence that is written over a WebSocket',
  reach: `p50 <= the engine's own time + ${BEYOND_ENGINE_MS} ms; ${CONNECTIONS} connections: p99 <= + ${MANY_P99_MS} ms, <= ${RESIDENT_MB} MiB`,
  run: async (environment) => {
    const server = await environment.floor('speech-server', {
      DELAY_MS: String(ENGINE_MS),
      SECONDS_PER_CHARACTER: '0.06',
    })
    await applyEndpoint(environment, server.url)
    const { apiKey } = await environment.database()
    const service = await environment.serve('start', { RATE_LIMIT_PER_MINUTE: '0' })
    try {
      const alone = async (count: number) => {
        const times: number[] = []
        for (let n = 0; n < count; n++) {
          const talker = await connect(service.url, apiKey)
          times.push(await talker.say())
          await talker.end()
        }
        return times
      }
      await alone(WARM_UP)
      const single = await alone(environment.quick ? 40 : 150)
      const talkers = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect(service.url, apiKey)))
      const rounds = environment.quick ? 6 : 20
      const many: number[] = []
      let resident = 0
      const watching = setInterval(() => (resident = Math.max(resident, residentMb(service.pid))), 250)
      await Promise.all(
        talkers.map(async (talker, index) => {
          await wait((index * EVERY_MS) / CONNECTIONS)
          for (let round = 0; round < rounds; round++) {
            const rest = wait(EVERY_MS)
            const took = await talker.say()
            // The first round warms up; the texts begin in it, too.
            if (round > 0) many.push(took)
            await rest
          }
        }),
      )
      clearInterval(watching)
      await Promise.all(talkers.map((talker) => talker.end()))
      const beyond = (times: readonly number[], share: number) => quantile(times, share) - ENGINE_MS
      return {
        name: 'websocket',
        measures: [
          atMost('p50 beyond the engine', 'ms', median(single) - ENGINE_MS, BEYOND_ENGINE_MS),
          atMost(`${CONNECTIONS} connections: p99 beyond the engine`, 'ms', beyond(many, 0.99), MANY_P99_MS),
          atMost(`${CONNECTIONS} connections: memory`, 'MiB', resident, RESIDENT_MB),
        ],
        notes: [
          `p99 of one connection: ${beyond(single, 0.99).toFixed(1)} ms; p50 of ${CONNECTIONS}: ${beyond(many, 0.5).toFixed(1)} ms`,
          `${many.length} sentences of ${CONNECTIONS} connections`,
        ],
      }
    } finally {
      await service.stop()
      await server.stop()
    }
  },
}

interface Talker {
  /** Milliseconds from a sentence to its first audio. */
  say(): Promise<number>
  end(): Promise<void>
}

async function connect(url: string, apiKey: string): Promise<Talker> {
  const address = `${url.replace('http', 'ws')}/v1/text-to-speech/bench-written:calm/stream-input`
  const socket = new WebSocket(`${address}?output_format=pcm_8000&inactivity_timeout=60`, {
    headers: { 'xi-api-key': apiKey },
  })
  let heard = Promise.withResolvers<number>()
  socket.on('message', (data) => {
    const { audio, error } = JSON.parse(String(data)) as { readonly audio?: string; readonly error?: string }
    if (error !== undefined) heard.reject(new Error(`a connection was refused: ${error}`))
    else if (audio !== undefined) heard.resolve(performance.now())
  })
  await once(socket, 'open')
  return {
    say: async () => {
      heard = Promise.withResolvers()
      const begun = performance.now()
      socket.send(JSON.stringify({ text: SENTENCE }))
      return (await heard.promise) - begun
    },
    end: async () => {
      const closed = once(socket, 'close')
      socket.send(JSON.stringify({ text: '' }))
      await closed
    },
  }
}

async function applyEndpoint(environment: Environment, url: string): Promise<void> {
  const file = join(await environment.directory(), 'websocket.json')
  const properties = { text: { type: 'string', maxLength: 10_000 }, voice: { type: 'string' } }
  const endpoint = {
    slug: 'bench-written',
    name: 'Bench',
    published: true,
    inputs: { type: 'object', additionalProperties: false, required: ['text', 'voice'], properties },
    voices: [{ slug: 'calm', name: 'Calm', engine_voice: 'calm' }],
    engine: { kind: 'openai-speech', base_url: url, model: 'tone', max_in_flight: CONNECTIONS, pool: 'bench-written' },
  }
  await writeFile(file, JSON.stringify({ endpoints: [endpoint] }))
  await environment.sonant('endpoints', 'apply', file)
}
