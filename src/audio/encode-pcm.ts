import { bytesOf, encodeSamples } from './encode-wav.ts'
import type { Encoding, EncodingOptions } from './encoding.ts'
import { PCM_RATE } from './format.ts'
import { resampleTo } from './resample.ts'

/** At 24 kHz unless `rate` is given. */
export async function encodePcm({ sampleRate, rate = PCM_RATE }: EncodingOptions): Promise<Encoding> {
  if (sampleRate === rate) return encodeSamples()
  const resampler = await resampleTo(rate, sampleRate)
  return {
    patches: [],
    push: (samples, isLast) => bytesOf(resampler.push(samples, isLast)),
    close: () => resampler.close(),
  }
}
