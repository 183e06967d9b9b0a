/** STREAMINFO: rate, channels, bits, then 36 bits of samples. */
const PROPERTIES_AT = 18
const MAX_SAMPLES = 2 ** 36 - 1

/** States the length in a FLAC head; a shorter head stays as it is. */
export function announceLength(head: Uint8Array, totalSamples: number): void {
  if (head.length < PROPERTIES_AT + 8 || totalSamples > MAX_SAMPLES) return
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  view.setBigUint64(PROPERTIES_AT, view.getBigUint64(PROPERTIES_AT) | BigInt(totalSamples))
}
