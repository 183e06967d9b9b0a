import { formatOfType } from '../audio/format.ts'
import type { SampleStream } from '../audio/transcode.ts'
import { nextTurn } from '../concurrency/next-turn.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { StoredOutput } from '../jobs/sign-outputs.ts'
import { type SpeechParts, storedSpeech } from './stored-speech.ts'

export const DEFAULT_PEAKS = 160
const MAX_PEAKS = 1000
const FULL = 32_768

/**
 * Returns the peaks, from 0 to 1, of `count` equal stretches of stored audio. Null if it is deleted or no audio.
 * @param owner the account whose share of decoded audio it uses
 * @throws INVALID_REQUEST unless count is 1 to 1,000; storage errors
 */
export async function peaksOf(
  parts: SpeechParts,
  owner: string,
  stored: StoredOutput,
  count: number,
): Promise<number[] | null> {
  if (count < 1 || count > MAX_PEAKS) {
    const details = [{ path: '/count', message: `must be 1 to ${MAX_PEAKS}` }]
    throw invalidRequest('Invalid arguments: see `details`.', details)
  }
  if (stored.deletedAt != null || formatOfType(stored.contentType) === null) return null
  const speech = await storedSpeech(parts, owner, stored)
  return highestOf(speech, count).finally(() => speech.close?.())
}

async function highestOf({ totalSamples = 0, blocks }: SampleStream, count: number): Promise<number[]> {
  const peaks = new Array<number>(count).fill(0)
  let at = 0
  for await (const block of blocks) {
    await nextTurn()
    for (const sample of block) {
      const bar = Math.min(count - 1, Math.floor((at++ * count) / totalSamples))
      const level = Math.abs(sample) / FULL
      if (level > (peaks[bar] as number)) peaks[bar] = level
    }
  }
  return peaks.map((peak) => Math.round(peak * 1000) / 1000)
}
