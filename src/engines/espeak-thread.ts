import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import loadEspeak, { type EspeakModule, type EspeakWorker } from '@echogarden/espeak-ng-emscripten'
import type { Language } from './detect-language.ts'
import type { Prosody } from './espeak-style.ts'
import { pickVoice, spokenLanguage } from './espeak-voice.ts'
import { openJapaneseReader } from './japanese-reader.ts'
import { spokenText } from './spoken-part.ts'
import { isSilent, type JapaneseReader, toSpokenText } from './spoken-text.ts'
import { WAV_HEADER_BYTES, writeWavHeader } from './wav-header.ts'

const VARIANTS_FOLDER = '/usr/share/espeak-ng-data/voices/!v'
const FIRST_BUFFER_BYTES = 512 * 1024
const NICENESS = 5

/** One text to render, as it crosses to the thread. */
export interface RenderTask {
  readonly text: string
  readonly engineVoice: string
  readonly language: Language | 'auto'
  readonly prosody: Prosody
}

/** A WAV file; or, as a string for the operator, why there is none; null where the text holds nothing that the language reads. */
export type Rendering = Uint8Array<ArrayBuffer> | string | null

interface Recording {
  bytes: ArrayBuffer
  length: number
}

/** The body of a rendering thread. Tasks that come while the engine loads wait in the port. */
const render = await openRenderer()
parentPort?.on('message', (task: RenderTask) => {
  const rendering = render(task)
  parentPort?.postMessage(rendering, rendering instanceof Uint8Array ? [rendering.buffer] : [])
})

async function openRenderer(): Promise<(task: RenderTask) => Rendering> {
  yieldToTheApi()
  const espeak = await loadEspeak()
  const worker = atTimeZero(() => new espeak.eSpeakNGWorker())
  const variants = new Set(espeak.FS.readdir(VARIANTS_FOLDER))
  const recording: Recording = { bytes: new ArrayBuffer(0), length: 0 }
  const callback = espeak.addFunction((pointer, samples) => record(recording, espeak, pointer, samples))
  // A first call makes the bindings allocate their scratch buffer, which must be part of the pristine memory.
  worker.set_voice(0)
  const pristine = usedMemory(espeak)

  return ({ text, engineVoice, language, prosody }) => {
    const voice = pickVoice(engineVoice, spokenLanguage(engineVoice, language, text))
    if (voice === null || (voice.variant !== null && !variants.has(voice.variant))) return `No voice ${engineVoice}.`
    const spoken = toSpokenText(text, voice.language, readJapanese)
    if (isSilent(spoken)) return null
    try {
      // eSpeak carries state from one text to the next (flutter, pauses, dictionaries): every text starts from the same memory.
      espeak.HEAPU8.set(pristine)
      const name = voice.variant === null ? voice.language : `${voice.language}+${voice.variant}`
      if (worker.set_voice(copyIn(espeak, name)) !== 0) return `No voice ${name}.`
      setProsody(worker, prosody)
      startRecording(recording)
      worker.synth_(copyIn(espeak, plainText(spokenText(spoken))), callback)
      return finishRecording(recording, worker.get_samplerate())
    } catch {
      // What is thrown out of the compiled code leaves its stack unbalanced: nothing in this thread can be trusted any more.
      return process.exit(1)
    }
  }
}

let japanese: JapaneseReader | undefined

/** Opened by the first text that needs it, and kept. */
const readJapanese: JapaneseReader = (text) => {
  japanese ??= openJapaneseReader()
  return japanese(text)
}

/** On Linux a thread has a priority of its own; elsewhere this would slow the whole process. */
function yieldToTheApi(): void {
  if (process.platform === 'linux') setPriority(NICENESS)
}

/** eSpeak seeds the noise in breathy voices with the time at which it starts; two threads must not sound different. */
function atTimeZero<T>(start: () => T): T {
  const { now } = Date
  Date.now = () => 0
  try {
    return start()
  } finally {
    Date.now = now
  }
}

/** A copy of the memory up to the last byte that is in use. */
function usedMemory({ HEAPU8: memory }: EspeakModule): Uint8Array {
  let end = memory.length
  while (memory[end - 1] === 0) end--
  return memory.slice(0, end)
}

/** Never freed: the next text starts from pristine memory. */
function copyIn(espeak: EspeakModule, text: string): number {
  const bytes = Buffer.from(`${text}\0`)
  const pointer = espeak._malloc(bytes.length)
  espeak.HEAPU8.set(bytes, pointer)
  return pointer
}

function setProsody(worker: EspeakWorker, { rate, pitch, range, volume }: Prosody): void {
  worker.set_rate(rate)
  worker.set_pitch(pitch)
  worker.set_range(range)
  worker.set_volume(volume)
}

/**
 * The binding always reads SSML, `[[phonemes]]` and commands after U+0001 (private-use characters stand for markup inside
 * eSpeak). None of them may come from a text.
 */
function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Co}]/gu, (character) => (character === '\n' ? '\n' : ' '))
    .replaceAll('[', '(')
    .replaceAll(']', ')')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

function startRecording(recording: Recording): void {
  recording.bytes = new ArrayBuffer(FIRST_BUFFER_BYTES)
  recording.length = WAV_HEADER_BYTES
}

function record(recording: Recording, espeak: EspeakModule, pointer: number, samples: number): number {
  const end = recording.length + samples * 2
  if (end > recording.bytes.byteLength) recording.bytes = recording.bytes.transfer(end * 2)
  new Uint8Array(recording.bytes).set(espeak.HEAPU8.subarray(pointer, pointer + samples * 2), recording.length)
  recording.length = end
  return 0
}

function finishRecording(recording: Recording, sampleRate: number): Uint8Array<ArrayBuffer> {
  const wav = new Uint8Array(recording.bytes.transfer(recording.length))
  writeWavHeader(wav, sampleRate)
  return wav
}
