import { addAbortSignal, type Readable } from 'node:stream'
import { AudioBusy } from '../audio/audio-shares.ts'
import type { Marks } from '../audio/encoding.ts'
import { type AnyFormat, knownLength, PCM_RATE } from '../audio/format.ts'
import { encoded, type SampleStream, transcoded } from '../audio/transcode.ts'
import { ServiceError } from '../errors/service-error.ts'
import { fileTitle, missingFile, zipOf } from '../voice/audio-zip.ts'
import { type SpeechParts, storedSpeech } from '../voice/stored-speech.ts'
import type { ExportPlan, PlannedTake } from './plan-export.ts'

const SAMPLES_PER_MS = PCM_RATE / 1000
const BLOCK_SAMPLES = 65_536

interface Reading {
  readonly format: AnyFormat
  /** Aborted when the reader disconnects. */
  readonly gone: AbortSignal
}

/** All takes of a project as one file, which an audiobook divides into its chapters. */
export function projectFile(parts: SpeechParts, plan: ExportPlan, reading: Reading): Promise<Readable> {
  const chapters = plan.chapters.map(({ title, takes }) => ({ title, fromMs: takes[0]!.fromMs }))
  return fileOf(parts, plan.accountId, takesOf(plan), { ...reading, chapters, title: plan.name })
}

/** In bytes; undefined unless the format tells it. */
export const projectFileBytes = (plan: ExportPlan, format: AnyFormat): number | undefined =>
  knownLength(format, PCM_RATE, samplesOf(takesOf(plan)))

const takesOf = ({ chapters }: ExportPlan): PlannedTake[] => chapters.flatMap(({ takes }) => takes)

/** A ZIP file with a file for each chapter. */
export function projectZip(parts: SpeechParts, plan: ExportPlan, reading: Reading): Readable {
  return zipOf(chapterFiles(parts, plan, reading))
}

async function* chapterFiles(parts: SpeechParts, plan: ExportPlan, reading: Reading) {
  const { chapters, missing, accountId } = plan
  for (const [index, { title, takes }] of chapters.entries()) {
    const place = String(index + 1).padStart(String(chapters.length).length, '0')
    const marks = { title: title || plan.name }
    const file = await patiently(reading.gone, () => fileOf(parts, accountId, takes, { ...reading, ...marks }))
    const name = `${place} ${fileTitle(title) || 'Chapter'}.${reading.format}`
    yield { name, lastModified: new Date(), input: addAbortSignal(reading.gone, file) }
  }
  const notes = [
    ...missing.map((one) => noteOf(one.chapter, one, 'not spoken.')),
    ...chapters.flatMap(({ title, takes }) =>
      takes.flatMap((take) => (take.isCurrent ? [] : [noteOf(title, take, 'changed since it was spoken.')])),
    ),
  ]
  if (notes.length > 0) yield missingFile(notes)
}

const noteOf = (
  chapter: string,
  { key, text }: { readonly key: string; readonly text: string },
  note: string,
): string => `${chapter}: ${fileTitle(text)} (${key}): ${note}`

/** Files of samples take a place of the encoders as well, because their takes may be resampled. */
async function fileOf(
  parts: SpeechParts,
  owner: string,
  takes: readonly PlannedTake[],
  { format, gone, ...marks }: Reading & Marks,
): Promise<Readable> {
  const needsPlace = format === 'wav' || format === 'pcm'
  const release = needsPlace ? await parts.audio.shares.encoded.acquire(owner, gone) : () => undefined
  try {
    const file = await transcoded(parts.audio, joined(parts, owner, takes, gone), { format, owner, gone, ...marks })
    return file.once('close', release)
  } catch (error) {
    release()
    throw error
  }
}

const joined = (parts: SpeechParts, owner: string, takes: readonly PlannedTake[], gone: AbortSignal): SampleStream => ({
  sampleRate: PCM_RATE,
  totalSamples: samplesOf(takes),
  blocks: blocksOf(parts, owner, takes, gone),
})

const samplesOf = (takes: readonly PlannedTake[]): number =>
  takes.reduce((sum, { durationMs, pauseMs }, at) => sum + durationMs + (at < takes.length - 1 ? pauseMs : 0), 0) *
  SAMPLES_PER_MS

/** One take after the other is read, so a long project takes no more memory than a short one. */
async function* blocksOf(
  parts: SpeechParts,
  owner: string,
  takes: readonly PlannedTake[],
  gone: AbortSignal,
): AsyncGenerator<Int16Array, void> {
  for (const [at, take] of takes.entries()) {
    gone.throwIfAborted()
    yield* exactly(take.durationMs * SAMPLES_PER_MS, speechOf(parts, owner, take, gone))
    if (at < takes.length - 1) yield* silence(take.pauseMs * SAMPLES_PER_MS)
  }
}

/** Keeps what follows at its time, also if the take was deleted meanwhile: it is silence then. */
async function* exactly(samples: number, blocks: AsyncIterable<Int16Array>): AsyncGenerator<Int16Array, void> {
  let left = samples
  for await (const block of blocks) {
    const part = block.subarray(0, left)
    left -= part.length
    if (part.length > 0) yield part
    if (left === 0) break
  }
  yield* silence(left)
}

function* silence(samples: number): Generator<Int16Array, void> {
  for (let left = samples; left > 0; left -= BLOCK_SAMPLES) yield new Int16Array(Math.min(left, BLOCK_SAMPLES))
}

async function* speechOf(
  parts: SpeechParts,
  owner: string,
  take: PlannedTake,
  gone: AbortSignal,
): AsyncGenerator<Int16Array, void> {
  const speech = await opened(parts, owner, take, gone)
  if (speech === null) return
  try {
    if (speech.sampleRate === PCM_RATE) yield* speech.blocks
    else
      for await (const bytes of encoded(parts.audio, speech.blocks, { format: 'pcm', sampleRate: speech.sampleRate }))
        yield new Int16Array(new Uint8Array(bytes).buffer)
  } finally {
    speech.close?.()
  }
}

/** Null if the take was deleted. */
const opened = (
  parts: SpeechParts,
  owner: string,
  { audio }: PlannedTake,
  gone: AbortSignal,
): Promise<SampleStream | null> =>
  patiently(gone, () =>
    storedSpeech(parts, owner, { ...audio, output: 'audio' }, gone).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'NOT_FOUND') return null
      throw error
    }),
  )

/** Waits for the account's other readers as long as this one stays: an answer that has begun cannot be refused. */
async function patiently<Result>(gone: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    gone.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof AudioBusy)) throw error
    }
  }
}
