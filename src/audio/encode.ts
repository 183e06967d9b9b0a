import { encodeWithLibav } from './encode-libav.ts'
import { encodeMp3 } from './encode-mp3.ts'
import { encodePcm } from './encode-pcm.ts'
import { encodeWav } from './encode-wav.ts'
import { type Encoding, type EncodingOptions, joinBytes } from './encoding.ts'
import { resampleTo } from './resample.ts'

export async function startEncoding(options: EncodingOptions): Promise<Encoding> {
  const { format, sampleRate, rate = sampleRate } = options
  if (rate === sampleRate || format === 'pcm') return startFormat(options)
  const resampler = await resampleTo(rate, sampleRate)
  // The resampler decides the number of samples, so none is stated.
  const encoding = await startFormat({ format, sampleRate: rate })
  return {
    patches: encoding.patches,
    push: (samples, isLast) => encoding.push(resampler.push(samples, isLast), isLast),
    close: () => {
      resampler.close()
      encoding.close()
    },
  }
}

async function startFormat(options: EncodingOptions): Promise<Encoding> {
  switch (options.format) {
    case 'wav':
      return encodeWav(options)
    case 'pcm':
      return encodePcm(options)
    case 'mp3':
      return encodeMp3(options)
    case 'opus':
    case 'flac':
      return encodeWithLibav(options)
  }
}

export async function encodeFile(
  samples: Int16Array,
  options: Omit<EncodingOptions, 'totalSamples'>,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = await startEncoding({ ...options, totalSamples: samples.length })
  try {
    const parts: Uint8Array[] = []
    for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
      parts.push(encoding.push(samples.subarray(at, at + BLOCK_SAMPLES), false))
    }
    const file = joinBytes([...parts, encoding.push(new Int16Array(0), true)])
    for (const { at, bytes } of encoding.patches) file.set(bytes, at)
    return file
  } finally {
    encoding.close()
  }
}

const BLOCK_SAMPLES = 8192
