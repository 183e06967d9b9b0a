import loadEspeak, { type EspeakWorker } from '@echogarden/espeak-ng-emscripten'
import type { Language } from '../../src/engines/espeak/detect-language.ts'
import { ESPEAK_LANGUAGES } from '../../src/engines/espeak/espeak-voice.ts'
import { openJapaneseReader } from '../../src/engines/espeak/japanese/japanese-reader.ts'
import { spokenText } from '../../src/engines/espeak/spoken-part.ts'
import { type JapaneseReader, toSpokenText } from '../../src/engines/espeak/spoken-text.ts'

/** The package's own script adds these to the worker. */
interface Transcriber extends EspeakWorker {
  synthesize_ipa(text: string): { readonly ipa: string }
  set_voice(name: number | string): number
}

/** Speaks a text by the embedded engine without the reading before it, and returns the phonemes that it has spoken. */
export type Phonemes = (text: string, language: Language) => string

export async function openPhonemes(): Promise<Phonemes> {
  const { eSpeakNGWorker } = await loadEspeak()
  const worker = new eSpeakNGWorker() as Transcriber
  let reader: JapaneseReader | undefined
  const readJapanese: JapaneseReader = (text) => {
    reader ??= openJapaneseReader()
    return reader(text)
  }
  return (text, language) => {
    const voice = ESPEAK_LANGUAGES[language]
    worker.set_voice(voice)
    return worker.synthesize_ipa(spokenText(toSpokenText(text, voice, readJapanese))).ipa
  }
}

/** Without stress, pauses and the marks between phonemes. */
export const comparablePhonemes = (ipa: string): string => ipa.replaceAll(/[\s_ˈˌ]|\([a-z-]+\)/gu, '')
