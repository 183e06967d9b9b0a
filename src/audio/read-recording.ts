import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis'
import { MPEGDecoder } from 'mpg123-decoder'
import { mixedDown, NO_SOUND, withLibav } from './decode.ts'
import { concatenated } from './encoding.ts'
import { readWav } from './plain-wav.ts'
import type { SoundKind } from './sound-kind.ts'
import type { Wav } from './wav.ts'

const MOST_SECONDS = 120
/** Small packets bound the memory that packed audio grows to. */
const PACKET_BYTES = 512
const MP3_BYTES = 8192
/** Ends files of mostly empty frames. */
const WATCHED_READS = 500
const LEAST_SECONDS = 0.1
const READS_OF_MP3 = MP3_BYTES / PACKET_BYTES
const TAG_BYTES = 10
const SIZE_BITS = 7
const MIN_RATE = 8000
const MAX_RATE = 192_000
/** Without silence at both ends. */
const MIN_SECONDS = 1
const MAX_SECONDS = 30
/** About -48 dB, room tone. */
const QUIET = 128
const EDGE_SECONDS = 0.1
/** About -40 dB. */
const SILENT_PEAK = 328
const FULL = 32_764
const CLIPPED_SECONDS = 0.0001
const LEAST_CLIPPED_RUN = 3
const CLIPPED_SHARE = 0.005
/** Compression ripples a clipped wave. */
const NEARLY_FULL = 0.97 * 32_768
const NEARLY_FULL_SHARE = 0.2

export type Judgement = { readonly wav: Wav } | { readonly violation: string }

/** Reads only the beginning of a long file. @throws Error if unreadable */
export async function readRecording(bytes: Uint8Array): Promise<Wav> {
  if (isMp3(bytes)) return readSound(bytes, 'mp3')
  const wav = readWav(bytes)
  return wav === null ? readSound(bytes, 'other') : soundOf((read) => void read.add(wav.samples, wav.sampleRate))
}

/** @throws Error if unreadable */
export const readSound = (bytes: Uint8Array, kind: SoundKind, mostSeconds?: number): Promise<Wav> =>
  soundOf((read) => READERS[kind](bytes, read), mostSeconds)

async function soundOf(fill: (read: Blocks) => Promise<void> | void, mostSeconds = MOST_SECONDS): Promise<Wav> {
  const read = new Blocks(mostSeconds)
  await fill(read)
  const samples = concatenated(read.blocks)
  if (samples.length === 0) throw new Error(NO_SOUND)
  return { sampleRate: read.sampleRate, channels: 1, samples }
}

class Blocks {
  readonly blocks: Int16Array[] = []
  sampleRate = 0
  readonly #mostSeconds: number
  #length = 0
  #reads = 0
  #watchedLength = 0

  constructor(mostSeconds: number) {
    this.#mostSeconds = mostSeconds
  }

  /** Returns whether to continue. @param reads calls that these samples took */
  add(samples: Int16Array, sampleRate: number, reads = 1): boolean {
    this.#reads += reads
    return this.#take(samples, sampleRate) && this.#goesOn()
  }

  #goesOn(): boolean {
    if (this.#reads < WATCHED_READS) return true
    const added = this.#length - this.#watchedLength
    this.#reads = 0
    this.#watchedLength = this.#length
    return added > LEAST_SECONDS * this.sampleRate
  }

  #take(samples: Int16Array, sampleRate: number): boolean {
    if (samples.length === 0) return true
    if (sampleRate < MIN_RATE || sampleRate > MAX_RATE) throw new Error(`The sample rate is ${sampleRate}.`)
    if (this.sampleRate !== 0 && this.sampleRate !== sampleRate) throw new Error('The sample rate changes.')
    this.sampleRate = sampleRate
    this.blocks.push(samples)
    this.#length += samples.length
    return this.#length < this.#mostSeconds * sampleRate
  }
}

/** AAC begins alike, as layer 0. */
const isMp3 = ([first = 0, second = 0, third = 0]: Uint8Array): boolean =>
  (first === 0x49 && second === 0x44 && third === 0x33) || (first === 0xff && (second & 0xe6) === 0xe2)

/** The decoder must not see pictures in ID3 tags. */
function endOfTags(bytes: Uint8Array): number {
  let at = 0
  while (bytes[at] === 0x49 && bytes[at + 1] === 0x44 && bytes[at + 2] === 0x33) {
    const size = bytes.subarray(at + 6, at + TAG_BYTES).reduce((sum, byte) => (sum << SIZE_BITS) | (byte & 0x7f), 0)
    at += TAG_BYTES + size
  }
  return at
}

async function readMp3(bytes: Uint8Array, read: Blocks): Promise<void> {
  const decoder = new MPEGDecoder({ enableGapless: false })
  await decoder.ready
  try {
    for (let at = endOfTags(bytes); at < bytes.length; at += MP3_BYTES) {
      const decoded = decoder.decode(bytes.subarray(at, at + MP3_BYTES))
      if (!read.add(mixedDown(decoded), decoded.sampleRate, READS_OF_MP3)) return
    }
  } finally {
    decoder.free()
  }
}

async function readVorbis(bytes: Uint8Array, read: Blocks): Promise<void> {
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  try {
    for (let at = 0; at < bytes.length; at += PACKET_BYTES) {
      const decoded = await decoder.decode(bytes.subarray(at, at + PACKET_BYTES))
      if (!read.add(mixedDown(decoded), decoded.sampleRate)) return
    }
    const rest = await decoder.flush()
    read.add(mixedDown(rest), rest.sampleRate)
  } finally {
    decoder.free()
  }
}

async function readOthers(bytes: Uint8Array, read: Blocks): Promise<void> {
  await withLibav(bytes, async (next) => {
    for (let isMore = true; isMore; ) {
      const decoded = await next(PACKET_BYTES)
      isMore = read.add(decoded.samples, decoded.sampleRate) && decoded.isMore
    }
  })
}

const READERS: Readonly<Record<SoundKind, (bytes: Uint8Array, read: Blocks) => Promise<void>>> = {
  mp3: readMp3,
  vorbis: readVorbis,
  other: readOthers,
}

/** Judges whether a recording can become a voice. Pure. */
export function judgeRecording({ samples: recorded, sampleRate }: Wav): Judgement {
  const samples = centred(recorded)
  const isLoud = (sample: number) => Math.abs(sample) >= QUIET
  const first = samples.findIndex(isLoud)
  if (first < 0) return { violation: 'is silent' }
  const last = samples.findLastIndex(isLoud) + 1
  const voiced = samples.subarray(first, last)
  if (!voiced.some((sample) => Math.abs(sample) >= SILENT_PEAK)) return { violation: 'is silent' }
  const room = Math.max(0, MAX_SECONDS * sampleRate - voiced.length)
  const edge = Math.floor(Math.min(EDGE_SECONDS * sampleRate, room / 2))
  const kept = samples.slice(Math.max(0, first - edge), last + edge)
  const seconds = Math.max(kept.length, voiced.length) / sampleRate
  if (seconds < MIN_SECONDS || voiced.length > MAX_SECONDS * sampleRate) return { violation: lengthViolation(seconds) }
  if (isClipped(recorded.subarray(first, last), sampleRate))
    return { violation: 'is clipped: record it again at a lower level' }
  return { wav: { sampleRate, channels: 1, samples: kept } }
}

/** A microphone may add a constant voltage, beside which silence looks loud. */
function centred(samples: Int16Array): Int16Array {
  const mean = Math.round(samples.reduce((sum, sample) => sum + sample, 0) / Math.max(1, samples.length))
  // An Int16Array would wrap around.
  return Math.abs(mean) < QUIET ? samples : samples.map((sample) => Math.max(-FULL, Math.min(FULL, sample - mean)))
}

const lengthViolation = (seconds: number): string =>
  `must last ${MIN_SECONDS} to ${MAX_SECONDS} seconds without the silence at its ends: it lasts ${
    seconds > 2 * MAX_SECONDS ? 'longer' : seconds.toFixed(1)
  }`

function isClipped(samples: Int16Array, sampleRate: number): boolean {
  const shortest = Math.max(LEAST_CLIPPED_RUN, Math.round(CLIPPED_SECONDS * sampleRate))
  let [clipped, nearly, run] = [0, 0, 0]
  for (const sample of samples) {
    const level = Math.abs(sample)
    if (level >= NEARLY_FULL) nearly++
    if (level >= FULL) run++
    else {
      if (run >= shortest) clipped += run
      run = 0
    }
  }
  if (run >= shortest) clipped += run
  return clipped > CLIPPED_SHARE * samples.length || nearly > NEARLY_FULL_SHARE * samples.length
}
