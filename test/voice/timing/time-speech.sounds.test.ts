import { afterAll, describe, expect, test } from 'vitest'
import type { Wav } from '../../../src/audio/wav.ts'
import type { SpeechRequest } from '../../../src/engines/engine.ts'
import { openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { openLog } from '../../../src/values/log.ts'
import { jobScript } from '../../../src/voice/markup/job-script.ts'
import { speakText } from '../../../src/voice/speak-text.ts'

/**
 * Times are counted in frames of 10 ms, a voice fades out over some of them, and eSpeak begins a word up to 20 ms before it is loud. The worst of
 * these cases is off by 36 ms, at the end of a word that takes twice its time.
 */
const TOLERANCE_MS = 50
const STEP_MS = 5
/** The silence in front of a consonant, at half the speed, is shorter; the pauses between the words are longer. */
const LEAST_PAUSE_MS = 260
/** 40 dB below the loudest moment, and above what engines leave where they are silent. */
const HEARD_SHARE = 0.01
const HEARD_LEAST = 40

const WORDS = {
  English: ['Seven', 'Bottles', 'Garden', 'Doctor', 'Table', 'Apple', 'Yellow', 'Fish'],
  German: ['Guten', 'Bruder', 'Tage', 'Dunkel', 'Straße', 'Apfel', 'Zeit'],
  Japanese: ['さくら', 'たまご', 'ねこ', 'やま', 'かさ', 'いぬ'],
} as const
const VOICES = [
  ['English', 'en-us+shelby@66'],
  ['English', 'en-us+david'],
  ['German', 'de+f1'],
  ['German', 'de+m3'],
  ['Japanese', 'ja+f1'],
  ['Japanese', 'ja+m7'],
] as const
/** Each has a speed, a style and marks between the words. Fast speech makes pauses of 40 ms of full stops, and consonants have such pauses too. */
const MANNERS = [
  [0.5, '', ' [pause:600ms] '],
  [1, '', ' [pause:600ms] '],
  [2, '', ' [pause:600ms] '],
  [0.5, '', '. '],
  [1, '', '. '],
  [1, 'whispering', '. '],
  [1, 'calm and slow', '. '],
  [1, 'deep and loud', ' [pause:600ms] '],
] as const

const engine = openEspeak({ threads: 2, log: openLog('silent') })
afterAll(() => engine.close())

type JobScriptInput = Parameters<typeof jobScript>

/** As a job of an endpoint with `markup: pauses` is spoken. */
async function speak(text: string, engineVoice: string, manner: Partial<SpeechRequest>) {
  const claim = { accountId: 'acct_1', lexicon: null, options: { markup: 'pauses' } } as unknown as JobScriptInput[1]
  const none = () => Promise.reject(new Error('no other voice is asked for'))
  const { map, passages } = await jobScript({} as JobScriptInput[0], claim, { text }, false, none)
  const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
  const request = { ...manner, text: map.spoken, voice, extra: {}, signal: new AbortController().signal }
  return { ...(await speakText(engine, request, {}, passages)), spoken: map.spoken }
}

interface Sound {
  readonly from: number
  readonly to: number
}

/** Where something is heard, in milliseconds, by its energy; what is parted by less than a pause is one sound. */
function soundsIn({ samples, sampleRate }: Wav): Sound[] {
  const step = Math.round((sampleRate * STEP_MS) / 1000)
  const levels = Array.from({ length: Math.floor(samples.length / step) }, (_, at) =>
    Math.sqrt(samples.subarray(at * step, (at + 1) * step).reduce((sum, sample) => sum + sample ** 2, 0) / step),
  )
  const least = Math.max(HEARD_LEAST, Math.max(...levels) * HEARD_SHARE)
  const sounds: Sound[] = []
  for (const [at, level] of levels.entries()) {
    if (level < least) continue
    const [from, to] = [at * STEP_MS, (at + 1) * STEP_MS]
    const last = sounds.at(-1)
    if (last !== undefined && from - last.to < LEAST_PAUSE_MS) sounds[sounds.length - 1] = { from: last.from, to }
    else sounds.push({ from, to })
  }
  return sounds
}

describe.each(VOICES)('words that pauses part, in %s by %s', (language, voice) => {
  test.each(MANNERS)(
    'at speed %d, "%s", parted by "%s": begin and end with the sound',
    async (speed, style, between) => {
      const words = WORDS[language]
      const text = `${words.join(between)}${between.trim()}`
      const { audio, timing, spoken } = await speak(text, voice, { language, speed, styleInstruction: style })
      const sounds = soundsIn(audio)
      const timed = (await timing()).words
      expect(sounds).toHaveLength(words.length)
      let end = 0
      for (const [index, word] of words.entries()) {
        const start = spoken.indexOf(word, end)
        end = start + word.length
        // In kana a dictionary that lacks a word takes it for two.
        const own = timed.filter((one) => one.start >= start && one.end <= end)
        const [from, to] = [own[0]!.from - sounds[index]!.from, own.at(-1)!.to - sounds[index]!.to]
        expect([word, Math.abs(from) <= TOLERANCE_MS || from, Math.abs(to) <= TOLERANCE_MS || to]).toEqual([
          word,
          true,
          true,
        ])
      }
    },
  )
})

test.each([
  ['en-us', 'English', 'The price will be $100 after 9:30PM.', 'The|price|will|be|$100|after|9:30PM'],
  ['de', 'German', 'Das kostet 50% um 9:30 Uhr.', 'Das|kostet|50%|um|9:30|Uhr'],
  ['ko', 'Korean', '가격은 ₩12,000 정도.', '가격은|₩12,000|정도'],
])('by %s in %s a number has the time of its sign as well: %s', async (voice, language, text, words) => {
  const { timing } = await speak(text, voice, { language })
  const found = (await timing()).words.map((word) => ({ ...word, word: text.slice(word.start, word.end) }))
  expect(found.map(({ word }) => word).join('|')).toBe(words)
  expect(new Set(found.map(({ source }) => source))).toEqual(new Set(['engine']))
  const lasts = new Map(found.map(({ word, from, to }) => [word, to - from]))
  for (const [word, ms] of lasts) {
    if (/\d/.test(word)) expect(ms, word).toBeGreaterThan(500)
    if (word === 'be') expect(ms, word).toBeLessThan(200)
  }
})
