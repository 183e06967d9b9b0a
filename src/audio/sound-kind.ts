export type SoundKind = 'mp3' | 'vorbis' | 'other'

const HEAD_BYTES = 4096
/** MPEG 1, then MPEG 2 and 2.5, in kbit/s. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const RATES = [44_100, 48_000, 32_000] as const

/** Decides by the first bytes; null if nothing here reads the file. Pure. */
export function soundKind(bytes: Uint8Array): SoundKind | null {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
  const start = head.toString('latin1', 0, 4)
  if (start === 'OggS') return head.includes('\x01vorbis', 0, 'latin1') ? 'vorbis' : 'other'
  if (start === 'fLaC' || start === '\x1a\x45\xdf\xa3') return 'other'
  return start.startsWith('ID3') || isMp3(head) ? 'mp3' : null
}

/** A single header may be samples, so two frames must follow. */
function isMp3(head: Buffer): boolean {
  const length = frameLength(head, 0)
  return length > 0 && frameLength(head, length) > 0
}

/** In bytes; 0 if no frame of layer III begins here. */
function frameLength(head: Buffer, at: number): number {
  if (at + 4 > head.length) return 0
  const bits = head.readUInt32BE(at)
  const version = (bits >>> 19) & 3
  const [bitRate, rate] = [(bits >>> 12) & 15, (bits >>> 10) & 3]
  if (bits >>> 21 !== 0x7ff || version === 1 || ((bits >>> 17) & 3) !== 1 || bitRate === 0 || bitRate === 15) return 0
  if (rate === 3) return 0
  const isVersion1 = version === 3
  const sampleRate = RATES[rate]! / (isVersion1 ? 1 : version === 2 ? 2 : 4)
  const kilobits = BIT_RATES[isVersion1 ? 0 : 1][bitRate]!
  return Math.floor(((isVersion1 ? 144 : 72) * kilobits * 1000) / sampleRate) + ((bits >>> 9) & 1)
}
