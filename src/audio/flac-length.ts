/** Where STREAMINFO holds rate, channels, bits and, in its last 36 bits, the number of samples. */
const PROPERTIES_AT = 18
const MAX_SAMPLES = 2 ** 36 - 1

/** Writes into the head of a FLAC file how many samples will follow: a player shows its length from the start. Too short a head stays as it is. */
export function announceLength(head: Uint8Array, totalSamples: number): void {
  if (head.length < PROPERTIES_AT + 8 || totalSamples > MAX_SAMPLES) return
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  view.setBigUint64(PROPERTIES_AT, view.getBigUint64(PROPERTIES_AT) | BigInt(totalSamples))
}
