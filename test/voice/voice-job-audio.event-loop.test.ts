import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../setup/http.ts'
import { finishedJob } from '../setup/jobs/fixtures.ts'
import { submitText } from '../setup/jobs/voice-jobs.ts'
import { p99, watchEventLoop } from '../setup/load/event-loop.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const P99_MS = 30
const READERS = 20
/** So that the worst hundredth is more than one turn. */
const ROUNDS = 3
const FORMATS = ['mp3', 'opus', 'flac', 'pcm']

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
})
afterAll(() => service.close())

test(`${READERS} readers of other formats at once hold the event loop for under ${P99_MS} ms, p99`, async () => {
  const { key } = await service.createCaller()
  const text = 'The quick brown fox jumps over the lazy dog. '.repeat(2)
  const id = await submitText(service.url, key, 'tts', text, 'aria')
  await finishedJob(service.url, key, id)
  await service.runtime.audio.warm()
  const readAs = (format?: string) => call(`${service.url}/api/v1/voice/jobs/${id}/audio?format=${format}`, { key })
  await readAs('mp3')
  const held = watchEventLoop()
  for (let round = 0; round < ROUNDS; round++) {
    const read = await Promise.all(Array.from({ length: READERS }, (_, at) => readAs(FORMATS[at % FORMATS.length])))
    expect(read.filter(({ status, bytes }) => status !== 200 || bytes.length < 20_000)).toEqual([])
  }
  const turns = held.stop()
  expect(turns.length).toBeGreaterThan(100)
  expect(p99(turns)).toBeLessThan(P99_MS)
}, 60_000)
