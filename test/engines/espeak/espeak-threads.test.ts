import { closeSync, fstatSync, openSync } from 'node:fs'
import { copyFile, mkdtemp, rm, truncate } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { styleToProsody } from '../../../src/engines/espeak/espeak-style.ts'
import type { ThreadData } from '../../../src/engines/espeak/espeak-thread.ts'
import { EspeakThreads } from '../../../src/engines/espeak/espeak-threads.ts'

const THREAD = new URL('../../../src/engines/espeak/espeak-thread.ts', import.meta.url)
const TASK = {
  text: 'Hello.',
  engineVoice: 'en-us',
  language: 'English',
  prosody: styleToProsody(undefined),
} as const

/** Longer than a test takes. */
const REST_MS = 10 * 60_000

const statuses = (outcomes: readonly PromiseSettledResult<unknown>[]) => outcomes.map(({ status }) => status)

test('a thread that does not start in time is ended and fails one text that waits, and the next text begins another', async () => {
  const threads = new EspeakThreads(1, { startMs: 1 })
  expect(statuses(await Promise.allSettled([threads.run(TASK), threads.run(TASK)]))).toEqual(['rejected', 'rejected'])
  await threads.close()
})

test('where no thread can be made, each text fails with what the machine says, and later ones are spoken again', async () => {
  let spawn = (_data: ThreadData): Worker => {
    throw new Error('no thread is left')
  }
  const threads = new EspeakThreads(2, { spawn: (workerData) => spawn(workerData) })
  const outcomes = await Promise.allSettled([threads.run(TASK), threads.run(TASK), threads.run(TASK)])
  expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason?.message)).toEqual(
    Array(3).fill('no thread is left'),
  )
  spawn = (workerData) => new Worker(THREAD, { workerData })
  expect(await threads.run(TASK)).toMatchObject({ audio: expect.anything() })
  await threads.close()
})

test.each([
  [
    'cannot be made',
    (): Worker => {
      throw new Error('no thread is left')
    },
  ],
  ['ends while it starts', () => new Worker('process.exit(1)', { eval: true })],
])(
  'where a second thread %s, the first one speaks all texts, also those that waited for it to start',
  async (_what, second) => {
    let made = 0
    const spawn = (workerData: ThreadData) => (made++ === 0 ? new Worker(THREAD, { workerData }) : second())
    const threads = new EspeakThreads(2, { spawn, restMs: REST_MS })
    const texts = Array.from({ length: 4 }, () => threads.run(TASK))
    expect(statuses(await Promise.allSettled(texts))).toEqual(Array(4).fill('fulfilled'))
    // It is tried again after a while, and not for each text.
    expect(made).toBe(2)
    await threads.close()
  },
)

test('a second thread that could not be made is tried again after a rest, while the first one speaks', async () => {
  let made = 0
  const triedAgain = Promise.withResolvers<void>()
  const spawn = (workerData: ThreadData) => {
    if (++made === 2) throw new Error('no thread is left')
    if (made === 3) triedAgain.resolve()
    return new Worker(THREAD, { workerData })
  }
  const threads = new EspeakThreads(2, { spawn, restMs: 1 })
  const texts = Array.from({ length: 4 }, () => threads.run(TASK))
  await triedAgain.promise
  expect(statuses(await Promise.allSettled(texts))).toEqual(Array(4).fill('fulfilled'))
  await threads.close()
})

test('a dictionary that cannot be read fails the text that needs it, which says why, and the next text has a new thread', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sonant-'))
  const copy = join(folder, 'espeak-ng.data')
  await copyFile(createRequire(import.meta.url).resolve('@echogarden/espeak-ng-emscripten/espeak-ng.data'), copy)
  const file = openSync(copy, 'r')
  const memory = new SharedArrayBuffer(fstatSync(file).size)
  let made = 0
  const spawn = (workerData: ThreadData) =>
    new Worker(THREAD, { workerData: made++ === 0 ? { voiceData: { memory, file } } : workerData })
  const threads = new EspeakThreads(1, { spawn })
  expect(await threads.run(TASK)).toMatchObject({ audio: expect.anything() })
  await truncate(copy, 0)
  const german = { ...TASK, text: 'Guten Tag.', engineVoice: 'de', language: 'German' } as const
  await expect(threads.run(german)).rejects.toThrow('the data of eSpeak NG ends early')
  expect(await threads.run(german)).toMatchObject({ audio: expect.anything() })
  expect(made).toBe(2)
  await threads.close()
  closeSync(file)
  await rm(folder, { recursive: true })
})
