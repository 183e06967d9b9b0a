import { inTime } from '../concurrency/in-time.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { AudioThreads } from './audio-threads.ts'
import { findWav, type SampleFormat, wavOf } from './plain-wav.ts'
import { type SoundKind, soundKind } from './sound-kind.ts'
import type { Wav } from './wav.ts'

/** MP3 within WAV. */
const MP3_CODE = 85
const TIMEOUT_MS = 60_000
const PCM = 1
const FLOAT = 3
const A_LAW = 6
const MU_LAW = 7
/** OpenAI's clients assume this without a stated rate. */
const USUAL_RATE = 24_000
/** RFC 3551. */
const TELEPHONE_RATE = 8000
const RATE_NAMES = ['rate', 'sample_rate', 'sample-rate', 'samplerate', 'r']
const CHANNEL_NAMES = ['channels', 'channel', 'ch', 'c']
const BIT_NAMES = ['bits', 'bit_depth', 'bit-depth', 'bitdepth', 'bits_per_sample', 'width']

interface ReadOptions {
  readonly mostSeconds: number
  readonly signal: AbortSignal
  /** Account whose caller waits for the speech. */
  readonly awaitedBy?: string | undefined
}

interface RawFormat extends SampleFormat {
  readonly isLittle: boolean
}

/** Reads compressed files one by one in a thread, which is replaced after a timeout. */
export class SpeechReader {
  readonly #turns = new Semaphore(() => 1)
  #threads: AudioThreads | undefined

  /**
   * The first bytes decide; headerless samples use the media type.
   * @throws Error for no audio or no samples; the signal's reason
   */
  async read(bytes: Uint8Array, contentType: string, options: ReadOptions): Promise<Wav> {
    const { mostSeconds, signal, awaitedBy } = options
    const wav = readSamples(bytes, contentType)
    if (wav?.samples.length === 0) throw new Error('There is no sound in this file.')
    if (wav !== null) return wav
    const places = findWav(bytes)
    const content = places?.code === MP3_CODE ? places.data : bytes
    const kind = soundKind(content)
    if (kind === null) throw new Error('This is no audio that can be read.')
    return this.#turns.run(signal, () => this.#decode(content, kind, mostSeconds), awaitedBy)
  }

  async close(): Promise<void> {
    const open = this.#threads
    this.#threads = undefined
    await open?.close()
  }

  async #decode(bytes: Uint8Array, kind: SoundKind, mostSeconds: number): Promise<Wav> {
    this.#threads ??= new AudioThreads(1)
    const wav = await inTime(TIMEOUT_MS, this.#threads.read(bytes, kind, mostSeconds), () => null)
    if (wav !== null) return wav
    await this.close()
    throw new Error('This file takes too long to be read.')
  }
}

function readSamples(bytes: Uint8Array, contentType: string): Wav | null {
  const places = findWav(bytes)
  if (places !== null) return wavOf(places, places.data)
  return soundKind(bytes) === null ? readRawSamples(bytes, contentType) : null
}

/** Returns null if the media type names no samples. Pure. */
export function readRawSamples(bytes: Uint8Array, contentType: string): Wav | null {
  const format = formatOf(contentType)
  return format && wavOf(format, bytes, format.isLittle)
}

function formatOf(contentType: string): RawFormat | null {
  const [type = '', ...parameters] = contentType.toLowerCase().split(/[;,]/)
  const given = new Map(parameters.map(parameterOf))
  const numberOf = (names: readonly string[]) =>
    names.map((name) => Number.parseInt(given.get(name) ?? '', 10)).find((value) => value > 0)
  const kind = kindOf(type.trim(), given)
  if (kind === null) return null
  return {
    ...kind,
    bits: numberOf(BIT_NAMES) ?? kind.bits,
    channels: numberOf(CHANNEL_NAMES) ?? 1,
    sampleRate: numberOf(RATE_NAMES) ?? kind.sampleRate,
    isLittle: isLittle(given, kind.isLittle),
  }
}

/** GStreamer writes `rate=(int)24000`. */
function parameterOf(parameter: string): readonly [string, string] {
  const [name = '', value = ''] = parameter.split('=')
  return [name.trim(), value.trim().replace(/^\(\w+\)|"/g, '')]
}

type Kind = Omit<RawFormat, 'channels'>

/** `audio/L16` is big-endian (RFC 2586). */
function kindOf(type: string, given: ReadonlyMap<string, string>): Kind | null {
  const usual = { code: PCM, bits: 16, sampleRate: USUAL_RATE, isLittle: true }
  const linear = /^audio\/l(8|16|24|32)$/.exec(type)?.[1]
  if (linear !== undefined) return { ...usual, bits: Number(linear), isLittle: false }
  if (/^audio\/(basic|pcmu|x-mulaw|mulaw)$/.test(type)) return { ...usual, ...TELEPHONE, code: MU_LAW }
  if (/^audio\/(pcma|x-alaw|alaw)$/.test(type)) return { ...usual, ...TELEPHONE, code: A_LAW }
  if (!/^audio\/(pcm|x-pcm|raw|x-raw|wave-pcm|pcm16|pcm_s16le)$/.test(type)) return null
  return { ...usual, ...sampleKind(given.get('format') ?? given.get('encoding') ?? given.get('codec') ?? '') }
}

const TELEPHONE = { bits: 8, sampleRate: TELEPHONE_RATE }

function sampleKind(name: string): Partial<Kind> {
  if (/mu-?law|ulaw|pcmu/.test(name)) return { code: MU_LAW, bits: 8 }
  if (/a-?law|pcma/.test(name)) return { code: A_LAW, bits: 8 }
  const [, letter = '', bits = '', end = ''] = /([suf])(?:igned|loat)?[-_]?(\d+)?_?(be|le)?/.exec(name) ?? []
  const isFloat = letter === 'f'
  return {
    ...(isFloat && { code: FLOAT, bits: 32 }),
    ...(bits !== '' && { bits: Number(bits) }),
    ...(end !== '' && { isLittle: end === 'le' }),
  }
}

/** A server that names a codec besides `audio/L16` sends its machine's byte order. */
function isLittle(given: ReadonlyMap<string, string>, usual: boolean): boolean {
  const said = given.get('endianness') ?? given.get('endian') ?? given.get('byte-order') ?? ''
  if (said !== '') return !said.startsWith('b')
  return usual || given.get('codec') === 'pcm'
}
