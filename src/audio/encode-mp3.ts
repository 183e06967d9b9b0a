import { createMp3Encoder, type WasmMediaEncoder } from 'wasm-media-encoders'
import { type Encoding, type EncodingOptions, joinBytes } from './encoding.ts'
import { mp3Rate } from './format.ts'
import { mp3Info } from './mp3-info.ts'

type Encoder = WasmMediaEncoder<'audio/mpeg'>

const BITRATE = 64
const FULL_SCALE = 32_768

const ENCODER_BYTES = 1.5 * 2 ** 20

const idle: Encoder[] = []
let made = 0

export const mp3Bytes = (): number => made * ENCODER_BYTES

/** With a known length the first frame lets players skip the encoder's delay. */
export async function encodeMp3({ sampleRate, totalSamples }: EncodingOptions): Promise<Encoding> {
  const encoder = idle.pop() ?? (await newEncoder())
  const outputSampleRate = mp3Rate(sampleRate)
  encoder.configure({ sampleRate, channels: 1, bitrate: BITRATE, outputSampleRate })
  let isOpen = true
  const reuse = (): void => {
    if (isOpen) idle.push(encoder)
    isOpen = false
  }
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
