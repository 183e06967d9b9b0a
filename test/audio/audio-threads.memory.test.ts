import { afterAll, expect, test } from 'vitest'
import { AudioThreads } from '../../src/audio/audio-threads.ts'
import { until } from '../setup/wait.ts'

const MB = 2 ** 20
const FILES = 40
const TIMEOUT_MS = 60_000

const threads = new AudioThreads(1)
afterAll(() => threads.close())

test(`what ${FILES} FLAC encoders at once needed is given back, and the next file is encoded all the same`, async () => {
  const samples = new Int16Array(24_000)
  await threads.encode({ sampleRate: 24_000, channels: 1, samples }, 'flac')
  const before = process.memoryUsage().rss
  const encoders = Array.from({ length: FILES }, () => threads.startEncoder({ format: 'flac', sampleRate: 24_000 }))
  await Promise.all(encoders.map((encoder) => encoder.push(samples)))
  expect(process.memoryUsage().rss - before).toBeGreaterThan(150 * MB)
  await Promise.all(encoders.map((encoder) => encoder.end()))
  await until(() => process.memoryUsage().rss - before < 80 * MB, TIMEOUT_MS, 'the memory to be given back')
  expect((await threads.encode({ sampleRate: 24_000, channels: 1, samples }, 'flac')).length).toBeGreaterThan(100)
})
