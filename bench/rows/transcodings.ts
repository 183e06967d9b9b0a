import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { freePort } from '../environment.ts'
import { GOALS } from '../goals.ts'
import type { Row } from '../measure.ts'

const LISTENERS = 20
const { p99Ms: MOST_MS } = GOALS.transcodings
/** How often Node.js looks at the loop: what it shows is the time from one look to the next. */
const EVERY_MS = 10
const FORMATS = ['mp3', 'opus', 'flac', 'pcm'] as const
const TEXT = 'The train leaves at half past nine, and nobody waits for those who are late. '.repeat(10)

/**
 * How late the event loop of an API process is while it encodes the speech of 20 requests at once, each as it is spoken by a worker of
 * another process; the floor is the same process idle for as long. Both as Node.js measures them, what it waits for a core included: workers,
 * encoders and clients share the machine.
 */
export const transcodings: Row = {
  name: 'transcodings',
  what: 'event-loop delay of the API under 20 live transcodings',
  reach: `p99 <= ${MOST_MS} ms`,
  run: async (environment) => {
    const { apiKey } = await environment.database()
    const port = await freePort()
    const api = await environment.serve('serve', { METRICS_PORT: String(port) })
    const worker = await environment.serve('work')
    const listenAll = (rounds: number) => listening(api.url, apiKey, rounds)
    try {
      // Encoders and engine have begun by then.
      await listenAll(1)
      await delayOf(port)
      const started = performance.now()
      await listenAll(environment.quick ? 2 : 5)
      const value = await delayOf(port)
      await wait(performance.now() - started)
      const floor = await delayOf(port)
      const reach = `<= ${MOST_MS} ms`
      const measure = { what: 'p99', unit: 'ms', floor, value, ratio: value / floor, reach, reached: value <= MOST_MS }
      return { name: 'transcodings', measures: [measure], notes: [] }
    } finally {
      await Promise.all([api.stop(), worker.stop()])
    }
  },
}

async function listening(url: string, key: string, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++)
    await Promise.all(Array.from({ length: LISTENERS }, (_, at) => listen(url, key, FORMATS[at % FORMATS.length]!)))
}

async function listen(url: string, key: string, format: string): Promise<void> {
  const { statusCode, body } = await request(`${url}/v1/audio/speech`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'tts-1', voice: 'aria', input: TEXT, response_format: format }),
  })
  await body.arrayBuffer()
  if (statusCode !== 200) throw new Error(`speech was answered with ${statusCode}`)
}

/** Milliseconds since the scrape before: each begins to measure anew. */
async function delayOf(port: number): Promise<number> {
  const { body } = await request(`http://127.0.0.1:${port}/metrics`)
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)$/m.exec(await body.text()) ?? []
  if (seconds === undefined) throw new Error('the delay of the event loop is not among the metrics')
  return Number(seconds) * 1000 - EVERY_MS
}
