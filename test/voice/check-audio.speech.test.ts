import { beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGES, type Language } from '../../src/engines/espeak/detect-language.ts'
import { expectSpeech } from '../../src/voice/estimate-speech.ts'
import { checkAudio } from '../../src/voice/speak-text.ts'
import { type Aloud, joined, openAloud } from '../setup/speech/espeak-aloud.ts'
import { ODD_TEXTS } from '../setup/speech/odd-texts.ts'

/** Words a minute. A short text is spoken at one of them in turn, a long one at all. */
const PACES = [115, 175, 260] as const
const ORDINARY_PACE = 175
/** eSpeak names them; other servers leave them out. */
const NAMED = /[\p{Extended_Pictographic}★*#~|]/u
const LONG_CHARACTERS = 40
/** Servers read these in ways that differ several times in length. */
const AMBIGUOUS = /[\d\p{S}\p{Extended_Pictographic}*#/@_|]|(?:\. ?){3}/u
const FADE_SAMPLES = 400
/** -30 dB. */
const NOISE_SHARE = 0.03

let aloud: Aloud
beforeAll(async () => {
  aloud = await openAloud()
})

/** Why it is refused; null where it passes. */
function refusal(text: string, language: Language, samples: Int16Array): string | null {
  try {
    checkAudio({ sampleRate: aloud.sampleRate, channels: 1, samples }, { expected: expectSpeech(text, { language }) })
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const cut = (samples: Int16Array): Int16Array => samples.slice(0, (samples.length * 2) / 3)
const longer = (samples: Int16Array): Int16Array => joined([samples, samples, samples])
/** It fades out, as what has come to its end does. */
const shorter = (samples: Int16Array): Int16Array =>
  samples
    .slice(0, samples.length / 3)
    .map((sample, at, { length }) => sample * Math.min(1, (length - 1 - at) / FADE_SAMPLES))

/** The same speech over the noise of a poor microphone, 30 dB below its peak, and in 8 bits. */
function noisy(samples: Int16Array): Int16Array {
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  let seed = 1
  return samples.map((sample) => {
    seed = (seed * 16_807) % 2_147_483_647
    return Math.max(-32_768, Math.min(32_767, sample + (seed / 2_147_483_647 - 0.5) * 2 * NOISE_SHARE * peak))
  })
}
const inEightBits = (samples: Int16Array): Int16Array => samples.map((sample) => Math.round(sample / 256) * 256)

/** For each kind of lie: how often a server told it, and how often the check noticed. */
const lies = new Map<string, { told: number; noticed: number }>()

function tellLies(text: string, language: Language, pace: number, samples: Int16Array, sort = ''): void {
  const kinds = { silent: new Int16Array(samples.length), cut: cut(samples), short: samples.slice(0, 1100) }
  const isPlain = !AMBIGUOUS.test(text)
  const others = { [`longer ${pace}`]: longer(samples), [`shorter ${pace}`]: shorter(samples) }
  for (const [name, lie] of Object.entries({ ...kinds, ...(isPlain && others) })) {
    const kind = sort + name
    const tally = lies.get(kind) ?? { told: 0, noticed: 0 }
    tally.told++
    if (refusal(text, language, lie) !== null) tally.noticed++
    lies.set(kind, tally)
  }
}

const noticed = (kind: string): number => {
  const { told, noticed: found } = lies.get(kind)!
  return found / told
}

describe('of more than 300 short and odd texts', () => {
  test.each(LANGUAGES)(
    'the speech in %s is never refused, slow or fast, with emoji and symbols named or left out',
    (language) => {
      const refused: unknown[] = []
      const texts = ODD_TEXTS.filter((one) => one.language === language).map(({ text }) => text)
      for (const [at, text] of texts.entries()) {
        const isLong = [...text].length >= LONG_CHARACTERS
        for (const pace of isLong ? PACES : [PACES[at % PACES.length]!]) {
          const isOrdinary = pace === ORDINARY_PACE
          const samples = aloud.speak(text, language, pace, NAMED.test(text) && isOrdinary)
          const poor = isOrdinary ? { noisy: noisy(samples), inEightBits: inEightBits(samples) } : {}
          for (const [kind, rendering] of Object.entries({ samples, ...poor })) {
            const why = refusal(text, language, rendering)
            if (why !== null) refused.push([text, pace, kind, why])
          }
          if (!isLong) continue
          tellLies(text, language, pace, samples)
          if (isOrdinary) tellLies(text, language, pace, poor.noisy!, 'noisy ')
        }
      }
      expect(refused).toEqual([])
    },
  )

  test('silence and a moment of sound are refused, most of what is cut, and another text where numbers and symbols do not blur it', () => {
    expect(ODD_TEXTS.length).toBeGreaterThan(300)
    expect([noticed('silent'), noticed('short')]).toEqual([1, 1])
    expect(noticed('cut')).toBeGreaterThan(0.85)
    expect(noticed('noisy cut')).toBeGreaterThan(0.75)
    for (const kind of ['longer 175', 'shorter 175', 'longer 115', 'shorter 260'])
      expect(noticed(kind), kind).toBeGreaterThan(0.95)
  })
})
