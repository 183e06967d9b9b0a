import loadEspeak from '@echogarden/espeak-ng-emscripten'
import type { Language } from '../../../src/engines/espeak/detect-language.ts'
import { ESPEAK_LANGUAGES } from '../../../src/engines/espeak/espeak-voice.ts'
import { openJapaneseReader } from '../../../src/engines/espeak/japanese/japanese-reader.ts'
import { spokenText } from '../../../src/engines/espeak/spoken-part.ts'
import { type JapaneseReader, KANJI, toSpokenText } from '../../../src/engines/espeak/spoken-text.ts'
import { asPackage, openVoiceData, readWhenOpened } from '../../../src/engines/espeak/voice-data.ts'

export interface Aloud {
  readonly sampleRate: number
  /** Speaks a text as it is, emoji and symbols by their names; with `skips` it leaves these out. */
  speak(text: string, language: Language, wordsAMinute: number, skips?: boolean): Int16Array
}

/** eSpeak in this thread, with whatever it leaves before and after its speech, as a server has that is built around it. */
export async function openAloud(): Promise<Aloud> {
  const data = openVoiceData()
  const espeak = await loadEspeak({ getPreloadedPackage: () => asPackage(data) })
  readWhenOpened(espeak, data)
  const worker = new espeak.eSpeakNGWorker()
  let blocks: Int16Array[] = []
  const callback = espeak.addFunction((pointer, samples) => {
    blocks.push(new Int16Array(espeak.HEAPU8.slice(pointer, pointer + samples * 2).buffer))
    return 0
  })
  const give = (text: string): number => {
    const bytes = Buffer.from(`${text}\0`)
    const pointer = espeak._malloc(bytes.length)
    espeak.HEAPU8.set(bytes, pointer)
    return pointer
  }
  let reader: JapaneseReader | undefined
  const read: JapaneseReader = (text) => {
    reader ??= openJapaneseReader()
    return reader(text)
  }
  const speak: Aloud['speak'] = (text, language, wordsAMinute, skips = false) => {
    const name = ESPEAK_LANGUAGES[language]
    const isRead = skips || (language === 'Japanese' && KANJI.test(text))
    const said = isRead ? spokenText(toSpokenText(text, name, read)) : text
    worker.set_voice(give(name))
    worker.set_rate(wordsAMinute)
    blocks = []
    worker.synth_(give(said.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('[', '(')), callback)
    return joined(blocks)
  }
  return { sampleRate: worker.get_samplerate(), speak }
}

export function joined(blocks: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const block of blocks) {
    all.set(block, at)
    at += block.length
  }
  return all
}
