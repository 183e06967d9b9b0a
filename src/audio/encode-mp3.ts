import { createMp3Encoder, type WasmMediaEncoder } from 'wasm-media-encoders'
import { type Encoding, type EncodingOptions, joinBytes } from './encoding.ts'
import { mp3Rate } from './format.ts'
import { mp3Info } from './mp3-info.ts'

type Encoder = WasmMediaEncoder<'audio/mpeg'>

/** Constant: the length of a file of variable bit rate cannot be told from its first frames. */
const BITRATE = 64
const FULL_SCALE = 32_768

/** The memory that each encoder takes, in bytes. */
const ENCODER_BYTES = 1.5 * 2 ** 20

/** Encoders that have ended a file: one takes 30 ms to be made. */
const idle: Encoder[] = []
let made = 0

/** The memory of all MP3 encoders of this thread, in bytes. The thread keeps it until it ends. */
export const mp3Bytes = (): number => made * ENCODER_BYTES

/**
 * MP3 of 64 kbit/s, mono, at the rate of the samples or the next higher one of the format. It begins with some 50 ms of the encoder's own
 * delay: where its length is known it says so, and players leave that out.
 */
export async function encodeMp3({ sampleRate, totalSamples }: EncodingOptions): Promise<Encoding> {
  const encoder = idle.pop() ?? (await newEncoder())
  const outputSampleRate = mp3Rate(sampleRate)
  encoder.configure({ sampleRate, channels: 1, bitrate: BITRATE, outputSampleRate })
  let isOpen = true
  const reuse = (): void => {
    if (isOpen) idle.push(encoder)
    isOpen = false
  }
  // Other rates are changed by the encoder, to a length of its own.
  const isExact = totalSamples !== undefined && outputSampleRate === sampleRate
  let info = isExact ? [mp3Info(sampleRate, totalSamples)] : []
  return {
    patches: [],
    push: (samples, isLast) => {
      const frames = info
      info = []
      if (samples.length > 0) frames.push(new Uint8Array(encoder.encode([floatsOf(samples)])))
      if (!isLast) return joinBytes(frames)
      frames.push(new Uint8Array(encoder.finalize()))
      return joinBytes(frames)
    },
    close: reuse,
  }
}

function newEncoder(): Promise<Encoder> {
  made++
  return createMp3Encoder()
}

function floatsOf(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length)
  for (let at = 0; at < samples.length; at++) floats[at] = samples[at]! / FULL_SCALE
  return floats
}
