import { parentPort, workerData } from 'node:worker_threads'
import loadEspeak, { type EspeakModule, type EspeakWorker } from '@echogarden/espeak-ng-emscripten'
import type { Wav } from '../../audio/wav.ts'
import { lowerThreadPriority } from '../../values/thread.ts'
import type { KanjiCount, WordMark } from '../engine.ts'
import { type Flite, openFlite } from '../flite/flite.ts'
import { type Loudness, NORMAL_LUFS } from '../loudness.ts'
import type { Language } from './detect-language.ts'
import { factorsOf, type Prosody } from './espeak-style.ts'
import { type EspeakVoice, familyOf, OWN_PITCH, pickVoice, spokenLanguage, whispererFor } from './espeak-voice.ts'
import { openJapaneseReader } from './japanese/japanese-reader.ts'
import {
  type Finished,
  finishRecording,
  finishSamples,
  openRecording,
  type Recording,
  record,
  soundingLength,
  startRecording,
  toWordMarks,
} from './recording.ts'
import { spokenText } from './spoken-part.ts'
import { countKanji, isSilent, type JapaneseReader, toSpokenText } from './spoken-text.ts'
import { asPackage, readWhenOpened, type VoiceData } from './voice-data.ts'

const VARIANTS_FOLDER = '/usr/share/espeak-ng-data/voices/!v'
const MOST_STYLE_DB = 3.5
/** At 100 some speakers clip. */
const UNCUT_VOLUME = 50
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export interface RenderTask {
  readonly text: string
  readonly engineVoice: string
  readonly own?: string | null
  readonly language: Language | 'auto'
  readonly prosody: Prosody
}

interface Unspoken {
  readonly kanji: KanjiCount
}

interface Spoken extends Unspoken {
  readonly audio: Wav
  readonly loudness: Loudness
  readonly words: readonly WordMark[]
}

/** A string is an error for the operator. */
export type Rendering = Spoken | Unspoken | string

/** `true` means that the thread is ready. */
export type ThreadMessage = true | Rendering | Error

export interface ThreadData {
  readonly voiceData: VoiceData
}

const render = await openRenderer()
parentPort?.on('message', (task: RenderTask) => {
  const rendering = render(task)
  const isSpoken = typeof rendering === 'object' && 'audio' in rendering
  parentPort?.postMessage(rendering, isSpoken ? [rendering.audio.samples.buffer as ArrayBuffer] : [])
})
parentPort?.postMessage(true satisfies ThreadMessage)

interface Speech {
  readonly variants: ReadonlySet<string>
  readonly recording: Recording
  readonly sampleRate: number
  say(spoken: string, name: string, prosody: Prosody, voicePitch: number): boolean
}

async function openSpeech(): Promise<Speech> {
  const { voiceData } = workerData as ThreadData
  const espeak = await loadEspeak({ getPreloadedPackage: () => asPackage(voiceData) })
  readWhenOpened(espeak, voiceData)
  const worker = atTimeZero(() => new espeak.eSpeakNGWorker())
  const variants = new Set(espeak.FS.readdir(VARIANTS_FOLDER))
  const recording = openRecording()
  const callback = espeak.addFunction((pointer, samples, events) => {
    record(recording, espeak.HEAPU8, { pointer, samples, events })
    return 0
  })
  // The first call allocates a buffer that the pristine memory must contain.
  worker.set_voice(0)
  const pristine = usedMemory(espeak)
  const say = (spoken: string, name: string, prosody: Prosody, voicePitch: number): boolean => {
    // eSpeak keeps state between texts, so every text starts from the same memory.
    espeak.HEAPU8.set(pristine)
    if (worker.set_voice(copyIn(espeak, name)) !== 0) return false
    setProsody(worker, prosody, voicePitch)
    startRecording(recording)
    worker.synth_(copyIn(espeak, spoken), callback)
    return true
  }
  return { variants, recording, sampleRate: worker.get_samplerate(), say }
}

async function openRenderer(): Promise<(task: RenderTask) => Rendering> {
  lowerThreadPriority()
  const { variants, recording, sampleRate, say } = await openSpeech()
  return ({ text, engineVoice, own = null, language, prosody }) => {
    const voice = pickVoice(engineVoice, spokenLanguage({ engineVoice, language: own }, language, text))
    if (voice === null || (voice.variant !== null && !variants.has(voice.variant))) return `No voice ${engineVoice}.`
    const parts = toSpokenText(text, voice.language, readJapanese)
    const kanji = countKanji(text, voice.language, parts)
    if (isSilent(parts)) return { kanji }
    const target = targetLufs(prosody)
    const spokenBy = ({ audio, loudness, words }: Finished, escapes: typeof ESCAPES): Spoken => {
      const marks = toWordMarks(words, text, parts, escapes)
      return { audio, loudness: { ...loudness, target }, words: marks, kanji }
    }
    try {
      const english = sayInEnglish(spokenText(parts), voice, prosody, sampleRate)
      if (english !== null) return spokenBy(english, {})
      const variant = prosody.whispers ? whispererFor(voice.variant) : voice.variant
      const name = variant === null ? voice.language : `${voice.language}+${variant}`
      const spoken = plainText(spokenText(parts))
      const { pace } = prosody
      const isSpoken = pace === undefined || say(spoken, name, { ...prosody, rate: pace.ownRate }, voice.pitch)
      const sounding = pace && soundingLength(recording) / pace.speed
      if (!isSpoken || !say(spoken, name, prosody, voice.pitch)) return `No voice ${name}.`
      return spokenBy(finishRecording(recording, sampleRate, sounding), ESCAPES)
    } catch (error) {
      // An exception leaves the compiled code's stack unbalanced, so the thread must end.
      parentPort?.postMessage(error instanceof Error ? error : new Error(`eSpeak NG ended: ${String(error)}`))
      return process.exit(1)
    }
  }
}

let flite: Flite | undefined

/** Returns null for a text that is eSpeak's to say. */
function sayInEnglish(text: string, voice: EspeakVoice, prosody: Prosody, sampleRate: number): Finished | null {
  const { english: speaker, language } = voice
  // flite has no whisper.
  if (speaker === null || familyOf(language) !== 'en' || prosody.whispers) return null
  flite ??= openFlite(sampleRate)
  const said = flite({ text, speaker, ...factorsOf(prosody) })
  return said && { ...finishSamples(said.samples, sampleRate), words: said.words }
}

let japanese: JapaneseReader | undefined

const readJapanese: JapaneseReader = (text) => {
  japanese ??= openJapaneseReader()
  return japanese(text)
}

/** eSpeak seeds noise with its start time; threads must sound alike. */
function atTimeZero<T>(start: () => T): T {
  const { now } = Date
  Date.now = () => 0
  try {
    return start()
  } finally {
    Date.now = now
  }
}

function usedMemory({ HEAPU8: memory }: EspeakModule): Uint8Array {
  const words = new Uint32Array(memory.buffer)
  let end = words.length
  while (words[end - 1] === 0) end--
  return memory.slice(0, end * words.BYTES_PER_ELEMENT)
}

/** Never freed, because the next text restores the pristine memory. */
function copyIn(espeak: EspeakModule, text: string): number {
  const bytes = Buffer.from(`${text}\0`)
  const pointer = espeak._malloc(bytes.length)
  espeak.HEAPU8.set(bytes, pointer)
  return pointer
}

/** Loudness is set after measuring, because eSpeak clips loud speech. */
function setProsody(worker: EspeakWorker, { rate, pitch, range, volume }: Prosody, voicePitch: number): void {
  worker.set_rate(rate)
  worker.set_pitch(Math.min(99, Math.max(0, pitch + voicePitch - OWN_PITCH)))
  worker.set_range(range)
  worker.set_volume(volume > 100 ? volume : UNCUT_VOLUME)
}

function targetLufs({ volume }: Prosody): number {
  const asked = 20 * Math.log10(volume / 100)
  return NORMAL_LUFS + Math.min(MOST_STYLE_DB, Math.max(-MOST_STYLE_DB, asked))
}

/** The binding always reads SSML, `[[phonemes]]` and U+0001 commands, which no text may contain. */
function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Co}]/gu, (character) => (character === '\n' ? '\n' : ' '))
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replace(/[&<>]/g, (character) => ESCAPES[character]!)
}
