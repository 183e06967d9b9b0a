import { expect, test } from 'vitest'
import { styleToProsody } from '../../../src/engines/espeak/espeak-style.ts'
import { openThreads } from '../../../src/engines/espeak/espeak-threads.ts'

const IDLE_MS = 60_000

test('a thread that does not start in time is ended and fails one text that waits, and the next text begins another', async () => {
  const threads = openThreads(1, IDLE_MS, 1)
  const task = {
    text: 'Hello.',
    engineVoice: 'en-us',
    language: 'English',
    prosody: styleToProsody(undefined),
  } as const
  const outcomes = await Promise.allSettled([threads.run(task), threads.run(task)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await threads.close()
})
