import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'
import { call, finishedJob } from '../setup/service.ts'
import { submitText } from '../setup/voice-jobs.ts'

const P99_MS = 50
/** Of the longest text that is accepted. */
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(250).slice(0, 10_000)

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime({ worker: true })
})
afterAll(() => service.close())

test('the longest text renders beside the API: the event loop waits under 50 ms, p99', {
  timeout: 120_000,
}, async () => {
  const { key } = await service.createCaller()
  // The engine is compiled, and every path was taken once.
  await finishedJob(service.url, key, await submitText(service.url, key, 'tts', 'A first one.', 'aria'))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const job = await finishedJob(service.url, key, await submitText(service.url, key, 'tts', TEXT, 'aria'), 90_000)
  delay.disable()
  expect(job.status).toBe('completed')
  expect((await call(job.outputs!.audio)).bytes.length).toBeGreaterThan(10_000_000)
  expect(delay.count).toBeGreaterThan(50)
  expect(delay.percentile(99) / 1e6).toBeLessThan(P99_MS)
})
