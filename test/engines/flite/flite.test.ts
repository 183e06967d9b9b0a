import { afterAll, describe, expect, test } from 'vitest'
import { durationMs } from '../../../src/audio/wav.ts'
import { checkVoice } from '../../../src/engines/check-voice.ts'
import type { Speech, SpeechRequest } from '../../../src/engines/engine.ts'
import { openEspeak } from '../../../src/engines/espeak/espeak.ts'
import { openLog } from '../../../src/values/log.ts'
import { measureVoice } from '../../setup/speech/measure-voice.ts'

const TEXT = 'The quick brown fox jumps over the lazy dog.'
const MAN = 'en-us+m3@66/rms'
const WOMAN = 'en-us+f1/slt'

const engine = openEspeak({ threads: 2, log: openLog('silent') })
afterAll(() => engine.close())

const speak = (engineVoice: string, changes: Partial<SpeechRequest> = {}): Promise<Speech> => {
  const voice = { slug: 'any', kind: 'preset', engineVoice, referenceAudio: null, referenceText: null } as const
  return engine.speak({
    text: TEXT,
    language: 'English',
    voice,
    extra: {},
    signal: new AbortController().signal,
    ...changes,
  })
}
const bytesOf = ({ audio }: Speech): string => Buffer.from(audio.samples.buffer).toString('base64')
/** The speech of a voice and of eSpeak's part of it. */
const both = async (engineVoice: string, changes: Partial<SpeechRequest>): Promise<[string, string]> => {
  const [whole, part] = await Promise.all([
    speak(engineVoice, changes),
    speak(engineVoice.replace(/\/.*/, ''), changes),
  ])
  return [bytesOf(whole), bytesOf(part)]
}

test.each([MAN, WOMAN])(
  '%s says English otherwise than eSpeak, at the same rate, and the same each time',
  async (name) => {
    const [whole, again, part] = await Promise.all([speak(name), speak(name), speak(name.replace(/\/.*/, ''))])
    expect(whole.audio.sampleRate).toBe(part.audio.sampleRate)
    expect(bytesOf(again) === bytesOf(whole)).toBe(true)
    expect(bytesOf(part) === bytesOf(whole)).toBe(false)
    const { pitchHz } = measureVoice(whole.audio)
    const [low, high] = name === MAN ? [80, 125] : [150, 200]
    expect(pitchHz).toBeGreaterThan(low)
    expect(pitchHz).toBeLessThan(high)
  },
)

test.each<[string, Partial<SpeechRequest>]>([
  ['another language', { text: 'Guten Morgen, mein Freund.', language: 'German' }],
  ['letters that flite cannot read', { text: 'The letter is ω.' }],
  ['a sign that flite passes over', { text: 'a < b' }],
  ['a whisper', { styleInstruction: 'whisper' }],
])('eSpeak says %s', async (_what, changes) => {
  const [whole, part] = await both(WOMAN, changes)
  expect(whole === part).toBe(true)
})

test.each(['“It’s a café” – she said…', 'a naïve\nline\tbreak', '-t -o /etc/passwd', 'x\u0000y', '50% & $5 @ #3'])(
  'flite says %j',
  async (text) => {
    const [whole, part] = await both(WOMAN, { text })
    expect(whole === part).toBe(false)
  },
)

test('a text with nothing to say is refused', () =>
  expect(speak(WOMAN, { text: '...' })).rejects.toMatchObject({ code: 'RENDER_FAILED' }))

describe('what is asked is heard:', () => {
  test.each([MAN, WOMAN])('speeds of %s', async (name) => {
    const [slow, own, fast] = await Promise.all([0.5, 1, 2].map((speed) => speak(name, { speed })))
    const length = durationMs(own!.audio)
    expect(durationMs(slow!.audio) / length).toBeCloseTo(2, 0)
    expect(length / durationMs(fast!.audio)).toBeGreaterThan(1.7)
    expect(length / durationMs(fast!.audio)).toBeLessThan(2.3)
  })

  test('a higher and a lower pitch of slt', async () => {
    const styles = ['low', undefined, 'high']
    const spoken = await Promise.all(styles.map((style) => speak(WOMAN, style ? { styleInstruction: style } : {})))
    const [low, own, high] = spoken.map(({ audio }) => measureVoice(audio).pitchHz)
    expect(own! / low!).toBeGreaterThan(1.1)
    expect(high! / own!).toBeGreaterThan(1.1)
  })
})

test('the first word of each sentence has its time, at a sound', async () => {
  const text = '“One, two\nthree four.” Is it\r\nfive?\n\nYes!'
  const { words = [], audio } = await speak(MAN, { text })
  expect(words.map(({ offset }) => text.slice(offset).match(/^\w+/)?.[0])).toEqual(['One', 'Is', 'Yes'])
  for (const { sample } of words) {
    const peak = (from: number) => Math.max(...audio.samples.subarray(Math.max(0, from), from + 1000).map(Math.abs))
    expect(peak(sample)).toBeGreaterThan(2 * peak(sample - 2500))
  }
})

test('an endpoint may name these voices only', () => {
  const check = (engineVoice: string) => checkVoice({ kind: 'espeak' }, { kind: 'preset', engineVoice })
  for (const name of [MAN, WOMAN, 'en-us/rms']) expect(check(name)).toBeNull()
  for (const name of ['en-us/kal', 'en-us+f1/', 'en-us/constructor', '/slt'])
    expect(check(name)).toMatch(/is not a voice/)
})
