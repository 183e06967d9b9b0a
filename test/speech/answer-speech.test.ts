import fc from 'fast-check'
import { expect, test } from 'vitest'
import { audioJson } from '../../src/speech/answer-speech.ts'

const REST = {
  format: 'wav' as const,
  sample_rate: 22_050,
  duration_seconds: 1.5,
  timing: 'engine' as const,
  words: [{ text: 'Ünï "quoted" 😀', start: 0, end: 1, source: 'engine' as const }],
}
const STEP_MS = 30

test('audio in pieces of any length is the base64 of all of it, in JSON of the length that it states', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 })
  const holds = fc.asyncProperty(pieces, async (audio) => {
    const { length, body } = audioJson('audio', audio, REST)
    const written = Buffer.from((await body.toArray()).join(''))
    expect(written.length).toBe(length)
    expect(JSON.parse(written.toString())).toEqual({ audio: Buffer.concat(audio).toString('base64'), ...REST })
  })
  await fc.assert(holds, { numRuns: 100 })
})

/** The longest step of one pass, in milliseconds of this thread's own time. */
async function longestStep(): Promise<number> {
  const audio = [new Uint8Array(20_000_000), new Uint8Array(6_460_001)]
  const worked = () => process.threadCpuUsage().user / 1000
  let [characters, longest, before] = [0, 0, worked()]
  const { length, body } = audioJson('audio', audio, REST)
  for await (const text of body) {
    longest = Math.max(longest, worked() - before)
    characters += Buffer.byteLength(text as string)
    before = worked()
  }
  expect(characters).toBe(length)
  return longest
}

test('ten minutes of WAV become text in steps, none of which holds the event loop', async () => {
  // A collection of garbage, or code that is not compiled yet, makes a step longer by chance, and not in every pass.
  let least = Number.POSITIVE_INFINITY
  for (let pass = 0; pass < 3 && least >= STEP_MS; pass++) least = Math.min(least, await longestStep())
  expect(least).toBeLessThan(STEP_MS)
})
