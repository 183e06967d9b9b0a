import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import { CAPTION_FORMATS, CAPTION_TYPES, type CaptionFormat } from '../../audio/format.ts'
import type { Context, Parts } from '../../context/context.ts'
import { jobNotFound, textGone } from '../../errors/service-error.ts'
import { findJob } from '../../jobs/job.ts'
import type { Job } from '../../jobs/job-shape.ts'
import { marksIn, type TextMark } from '../markup/xml-tokens.ts'
import { requireFormat, requireSpeech } from '../stored-speech.ts'
import { loadTimedJobs, type TimedJob } from '../timing/job-timing.ts'
import { heardIn, type JobTiming, type TimedRange, type TimeSource, worstSource } from '../timing/speech-timing.ts'
import { type Cue, cuesOf } from './cues.ts'

const WORD_JOINER = '\u2060'
const READ_AS_MARKUP = /<(?=[a-z/!?])|\\(?=[nh])/giu
/** Overrides of SubStation Alpha ({\an8}) and MicroDVD ({y:i}): libass hides them, also across two lines. */
const IN_BRACES = /\{[^}]*\}/u
const WIDE: Readonly<Record<string, string>> = { '{': '｛', '}': '｝' }
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export interface JobCaptions {
  readonly format: CaptionFormat
  readonly contentType: string
  readonly content: string
}

/** A word or a sentence: `start` and `end` in seconds, `offset` in code points of the submitted text. */
export interface TimedText {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly offset: number
  readonly length: number
  readonly source: TimeSource
}

/** A `<mark>` of SSML: `start` in seconds, `offset` in code points of the submitted text. */
interface TimedMark {
  readonly name: string
  readonly start: number
  readonly offset: number
}

export interface SpeechTimes {
  readonly timing: TimeSource
  readonly words: readonly TimedText[]
  readonly sentences: readonly TimedText[]
  readonly marks?: readonly TimedMark[]
}

/**
 * Captions of a completed voice job of the caller's account; WebVTT unless the caller asks for another format.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST for an unknown format, NOT_FOUND (also for other accounts' jobs and failed jobs),
 * JOB_UNFINISHED, GONE if its audio was deleted
 */
export async function voiceJobCaptions(
  ctx: Context,
  input: { readonly jobId: string; readonly format?: string | null | undefined },
): Promise<JobCaptions> {
  requireScope(ctx, JOB_READ_SCOPE)
  const format = requireFormat(input.format, CAPTION_FORMATS) ?? 'vtt'
  const job = await findJob(ctx.db.pool, input.jobId, requireAccount(ctx).accountId)
  if (job?.type !== 'voice') throw jobNotFound()
  return captionsOf(ctx, job, format)
}

/**
 * Captions of a job that the caller may read.
 * @param text of the job, if the caller knows it
 */
export async function captionsOf(
  parts: Pick<Parts, 'db'>,
  job: Job,
  format: CaptionFormat,
  text?: string,
): Promise<JobCaptions> {
  return {
    format,
    contentType: CAPTION_TYPES[format],
    content: await writeCaptions(await requireTimed(parts, job, text), format),
  }
}

/**
 * @param text of the job, if the caller knows it
 * @throws GONE if the text was not kept
 */
export async function requireTimed({ db }: Pick<Parts, 'db'>, job: Job, text?: string): Promise<TimedJob> {
  requireSpeech(job)
  const found = (await loadTimedJobs(db.pool, [job.id], text)).get(job.id)
  if (found === undefined) throw textGone()
  return found
}

export async function writeCaptions(
  { text, timing, durationMs, markup }: TimedJob,
  format: CaptionFormat,
): Promise<string> {
  if (format === 'json') return JSON.stringify(timesOf(text, timing, markup === 'ssml' ? marksIn(text) : []))
  return (format === 'vtt' ? toWebvtt : toSrt)(await cuesOf(text, timing, durationMs))
}

/**
 * Writes SubRip, which has no escapes: a word joiner splits tags, line breaks and arrows, and wide braces replace overrides. Pure.
 * @param before cues of the same file before these
 */
export function toSrt(cues: readonly Cue[], before = 0): string {
  const blocks = cues.map(({ from, to, lines }, index) =>
    [`${before + index + 1}`, `${clock(from, ',')} --> ${clock(to, ',')}`, plain(lines.join('\n'))].join('\n'),
  )
  return blocks.map((block) => `${block}\n`).join('\n')
}

function plain(text: string): string {
  const apart = text.replaceAll('-->', `--${WORD_JOINER}>`).replace(READ_AS_MARKUP, (opening) => opening + WORD_JOINER)
  return IN_BRACES.test(text) ? apart.replace(/[{}]/g, (brace) => WIDE[brace]!) : apart
}

function clock(ms: number, point: string): string {
  const digits = (value: number, length: number) => String(Math.floor(value)).padStart(length, '0')
  const whole = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map((value) => digits(value, 2))
  return `${whole.join(':')}${point}${digits(ms % 1000, 3)}`
}

/** @param before cues of the same file before these */
export function toWebvtt(cues: readonly Cue[], before = 0): string {
  const blocks = cues.map(({ from, to, lines }, index) => {
    const text = lines.map((line) => line.replace(/[&<>]/g, (character) => ENTITIES[character]!))
    return [`${before + index + 1}`, `${clock(from, '.')} --> ${clock(to, '.')}`, ...text].join('\n')
  })
  return `${[...(before === 0 ? ['WEBVTT'] : []), ...blocks].join('\n\n')}\n`
}

export function timesOf(
  text: string,
  { words, sentences, heard }: JobTiming,
  marks: readonly TextMark[] = [],
): SpeechTimes {
  const codePoints = countCodePoints(text)
  const heardOf = heardIn(text, heard)
  const reached = reachedAt(
    marks.map(({ at }) => at),
    words,
  )
  const toTimed = ({ start, end, from, to, source }: TimedRange): TimedText => ({
    text: heardOf({ start, end }).trim(),
    start: from / 1000,
    end: to / 1000,
    offset: codePoints(start),
    length: codePoints(end) - codePoints(start),
    source,
  })
  return {
    timing: worstSource(words.length > 0 ? words : sentences),
    words: words.map(toTimed),
    sentences: sentences.map(toTimed),
    ...(marks.length > 0 && {
      marks: marks.map(({ name, at }, index) => ({ name, start: reached[index]! / 1000, offset: codePoints(at) })),
    }),
  }
}

/** The times of places in the text, which are in order. */
function reachedAt(places: readonly number[], words: JobTiming['words']): number[] {
  let next = 0
  return places.map((at) => {
    while (next < words.length && words[next]!.start < at) next++
    return words[next]?.from ?? words.at(-1)?.to ?? 0
  })
}

/** Returns a function that counts the code points before a UTF-16 unit. */
export function countCodePoints(text: string): (unit: number) => number {
  const pairs = [...text.matchAll(/[\ud800-\udbff][\udc00-\udfff]/g)].map(({ index }) => index)
  if (pairs.length === 0) return (unit) => unit
  const before = new Int32Array(text.length + 1)
  for (const index of pairs) before[index + 2] = 1
  for (let unit = 1; unit <= text.length; unit++) before[unit]! += before[unit - 1]!
  return (unit) => unit - before[unit]!
}
