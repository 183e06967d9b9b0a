import { Readable } from 'node:stream'
import type { AudioThreads } from '../audio/audio-threads.ts'
import type { Chapter } from '../audio/encoding.ts'
import { FILE_TYPES, MAX_WAV_SAMPLES } from '../audio/format.ts'
import { encoded, type SampleStream } from '../audio/transcode.ts'
import { durationMs, type Wav } from '../audio/wav.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import { EngineError } from '../engines/engine.ts'
import type { Claim } from '../jobs/lifecycle/claim-job.ts'
import type { ProducedFile } from '../jobs/lifecycle/produce.ts'
import { chaptersOf } from './chapters.ts'
import { toFile } from './join.ts'
import { captionFormats, fileFormat } from './output-formats.ts'
import { shownTiming } from './timing/job-timing.ts'
import { encodeTiming, type JobTiming } from './timing/speech-timing.ts'

interface SpokenText {
  /** As it was submitted. */
  readonly text: string
  readonly timing: JobTiming
  /** A recording in memory, or one that is read while the file is stored. */
  readonly audio: Wav | (SampleStream & { readonly totalSamples: number })
}

/** Makes the file of a voice job in its format, with its times. @throws EngineError if a WAV file cannot be as long */
export async function speechFile(
  threads: AudioThreads,
  endpoint: VoiceEndpoint,
  { inputs, options }: Claim,
  spoken: SpokenText,
): Promise<ProducedFile> {
  const { audio, timing } = spoken
  const format = fileFormat(endpoint, inputs, options)
  const lengthMs = 'samples' in audio ? durationMs(audio) : Math.round((audio.totalSamples / audio.sampleRate) * 1000)
  const chapters = format === 'm4b' ? chaptersIn(spoken, options, lengthMs) : []
  return {
    output: 'audio',
    extension: `.${format}`,
    contentType: FILE_TYPES[format],
    durationMs: lengthMs,
    timing: encodeTiming(timing),
    captions: captionFormats(endpoint, inputs, options),
    content: await contentOf(threads, audio, format, chapters),
  }
}

async function contentOf(
  threads: AudioThreads,
  audio: SpokenText['audio'],
  format: ReturnType<typeof fileFormat>,
  chapters: readonly Chapter[],
): Promise<Uint8Array | Readable> {
  if ('samples' in audio) return format === 'wav' ? toFile(audio) : threads.encode(audio, format, { chapters })
  const { sampleRate, totalSamples, blocks } = audio
  if (format === 'wav' && totalSamples > MAX_WAV_SAMPLES)
    throw new EngineError('RENDER_FAILED', 'the speech is longer than a WAV file can be')
  return Readable.from(encoded(threads, blocks, { format, sampleRate, totalSamples, chapters }), { objectMode: false })
}

function chaptersIn({ text, timing }: SpokenText, options: Claim['options'], lengthMs: number): Chapter[] {
  const { markup = null, code = null } = options
  const shown = shownTiming(timing, text, markup, code)
  return chaptersOf({ text, timing: shown, durationMs: lengthMs, markup })
}
