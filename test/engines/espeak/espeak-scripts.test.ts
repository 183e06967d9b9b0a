import loadEspeak, { type EspeakWorker } from '@echogarden/espeak-ng-emscripten'
import { beforeAll, describe, expect, test } from 'vitest'
import { ESPEAK_LANGUAGES, utteranceOf } from '../../../src/engines/espeak/espeak-voice.ts'

const WORDS: Readonly<Record<string, string>> = {
  Arabic: 'سلام',
  Armenian: 'բարեւ',
  Bengali: 'নমক',
  Cyrillic: 'минута',
  Devanagari: 'नमक',
  Ethiopic: 'ሰላም',
  Georgian: 'გამარ',
  Gujarati: 'નમક',
  Gurmukhi: 'ਨਮਕ',
  Hangul: '하나다',
  Hebrew: 'שלום',
  Kannada: 'ನಮಕ',
  Katakana: 'カナカ',
  Lao: 'ສະບາ',
  Malayalam: 'നമക',
  Myanmar: 'မကက',
  Oriya: 'ନମକ',
  Sinhala: 'නමක',
  Tamil: 'தமகம',
  Telugu: 'నమకం',
  Thai: 'สวาก',
}
const OWN: readonly (readonly [string, string])[] = [
  ['ar', 'Arabic'],
  ['am', 'Ethiopic'],
  ['he', 'Hebrew'],
  ['my', 'Myanmar'],
  ['or', 'Oriya'],
  ['te', 'Telugu'],
  ['th', 'Thai'],
  ['uk', 'Cyrillic'],
]

interface Phonemes extends EspeakWorker {
  synthesize_ipa(text: string): { readonly ipa: string }
}

describe('the scripts of the embedded engine', () => {
  let phonemes: (text: string, language: string) => string
  beforeAll(async () => {
    const espeak = await loadEspeak()
    const worker = new espeak.eSpeakNGWorker() as Phonemes
    phonemes = (text, language) => {
      const bytes = Buffer.from(`${language}\0`)
      const pointer = espeak._malloc(bytes.length)
      espeak.HEAPU8.set(bytes, pointer)
      worker.set_voice(pointer)
      return worker.synthesize_ipa(text).ipa.trim()
    }
  })
  /** A word is one group of sounds; letters' names are a group each, and their codes have pauses. */
  const isRead = (word: string, language: string) => !/\s|__|^$/u.test(phonemes(word, language))
  const saysSo = (word: string, language: string) =>
    [...word].every((character) => utteranceOf(character, language) !== 'silent')

  test.each(Object.values(ESPEAK_LANGUAGES))('%s reads those that are said to be read, and no other', (language) => {
    for (const [script, word] of Object.entries(WORDS)) {
      expect([script, saysSo(word, language)]).toEqual([script, isRead(word, language)])
    }
  })

  test.each(OWN)('%s reads %s', (language, script) => {
    expect(isRead(WORDS[script]!, language)).toBe(true)
    expect(saysSo(WORDS[script]!, language)).toBe(true)
  })
})
