import type { CaptionFormat } from '../audio/format.ts'
import type { Parts } from '../context/context.ts'
import { type Cue, cuesOf } from '../voice/captions/cues.ts'
import { type TimedText, timesOf, toSrt, toWebvtt } from '../voice/captions/voice-job-captions.ts'
import { loadTimedJobs, type TimedJob } from '../voice/timing/job-timing.ts'
import type { ExportPlan, PlannedTake } from './plan-export.ts'

/** Paragraphs that are read from the database together. */
const PAGE = 100

type Timed = PlannedTake & { readonly chapter: string; readonly timed: TimedJob }

/** Captions of the whole recording, in pieces. Takes whose texts nobody knows any more have none. */
export async function* projectCaptionText(
  { db }: Pick<Parts, 'db'>,
  plan: ExportPlan,
  format: CaptionFormat,
): AsyncGenerator<string, void> {
  const paragraphs = timedTakes(db, plan)
  yield* format === 'json' ? asJson(paragraphs) : asCues(paragraphs, format === 'srt' ? toSrt : toWebvtt)
}

async function* timedTakes(db: Parts['db'], { chapters }: ExportPlan): AsyncGenerator<Timed, void> {
  const takes = chapters.flatMap(({ key, takes: own }) => own.map((take) => ({ ...take, chapter: key })))
  for (let at = 0; at < takes.length; at += PAGE) {
    const page = takes.slice(at, at + PAGE)
    const known = await loadTimedJobs(
      db.pool,
      page.map(({ jobId }) => jobId),
    )
    for (const take of page) {
      // With JOB_TEXTS=off the project alone has the text.
      const own = take.isCurrent && !known.has(take.jobId)
      const timed = (own ? await loadTimedJobs(db.pool, [take.jobId], take.text) : known).get(take.jobId)
      if (timed !== undefined) yield { ...take, timed }
    }
  }
}

async function* asCues(
  paragraphs: AsyncIterable<Timed>,
  write: (cues: readonly Cue[], before: number) => string,
): AsyncGenerator<string, void> {
  let count = 0
  for await (const { timed, fromMs, durationMs } of paragraphs) {
    const cues = await cuesOf(timed.text, timed.timing, durationMs)
    const shifted = cues.map(({ from, to, lines }) => ({ from: from + fromMs, to: to + fromMs, lines }))
    if (shifted.length > 0) yield `${count > 0 ? '\n' : ''}${write(shifted, count)}`
    count += shifted.length
  }
  if (count === 0) yield write([], 0)
}

async function* asJson(paragraphs: AsyncIterable<Timed>): AsyncGenerator<string, void> {
  let before = '{"paragraphs":['
  for await (const { key, chapter, timed, fromMs, durationMs } of paragraphs) {
    const { timing, words, sentences } = timesOf(timed.text, timed.timing)
    const later = (one: TimedText) => ({ ...one, start: seconds(one.start, fromMs), end: seconds(one.end, fromMs) })
    const range = { start: seconds(0, fromMs), end: seconds(0, fromMs + durationMs) }
    const times = { timing, words: words.map(later), sentences: sentences.map(later) }
    yield before + JSON.stringify({ key, chapter, ...range, ...times })
    before = ','
  }
  yield before === ',' ? ']}' : `${before}]}`
}

const seconds = (start: number, fromMs: number): number => Math.round(start * 1000 + fromMs) / 1000
