const PCM = 1
export const WAV_HEADER_BYTES = 44
/** Marks an unknown size in a header. */
export const UNKNOWN_SIZE = 0xffffffff
const MONO = 1
const BYTES_PER_SAMPLE = 2

/** Decoded PCM 16-bit mono. */
export interface Wav {
  readonly sampleRate: number
  readonly channels: 1
  readonly samples: Int16Array
}

export function writeWav(samples: Int16Array, sampleRate: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(WAV_HEADER_BYTES + samples.byteLength)
  file.set(wavHeader(sampleRate, samples.byteLength))
  file.set(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), WAV_HEADER_BYTES)
  return file
}

export const durationMs = (wav: Wav): number => Math.round((wav.samples.length / wav.sampleRate) * 1000)

/** @param bytes of the samples; UNKNOWN_SIZE if nobody knows yet */
export function wavHeader(sampleRate: number, bytes: number): Uint8Array {
  const header = Buffer.alloc(WAV_HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(Math.min(UNKNOWN_SIZE, bytes + WAV_HEADER_BYTES - 8), 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(PCM, 20)
  header.writeUInt16LE(MONO, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * BYTES_PER_SAMPLE, 28)
  header.writeUInt16LE(BYTES_PER_SAMPLE, 32)
  header.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  return header
}
