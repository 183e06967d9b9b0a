import type { Tx } from '../../db/database.ts'
import { detectLanguage, LANGUAGES } from '../../engines/espeak/detect-language.ts'
import { cutBetween, shownText } from '../markup/shown-text.ts'
import { decodeTiming } from './encode-timing.ts'
import type { JobTiming } from './speech-timing.ts'
import { estimateTiming } from './time-speech.ts'

export interface TimedJob {
  readonly text: string
  readonly timing: JobTiming
  readonly durationMs: number
  /** Null: the text has no markup. */
  readonly markup: string | null
}

interface Row {
  readonly id: string
  readonly text: string
  readonly language: string | null
  readonly timing: Buffer | null
  readonly duration: number | null
  readonly markup: string | null
}

const FIND = `select j.id, j.inputs ->> 'text' as text, j.inputs ->> 'language' as language, a.timing, a.duration_ms as duration,
    j.options ->> 'markup' as markup
  from job j join artifact a on a.job_id = j.id and a.output = 'audio' where j.id = any($1) and a.job_id = any($1)`

/** Loads texts and times by job; estimates times that were never stored. The caller checks access. */
export async function loadTimedJobs(db: Pick<Tx, 'query'>, jobIds: readonly string[]): Promise<Map<string, TimedJob>> {
  const { rows } = await db.query<Row>({ name: 'timed_jobs', text: FIND, values: [jobIds] })
  return new Map(rows.map((row) => [row.id, timed(row)]))
}

function timed({ text, language, timing, duration, markup }: Row): TimedJob {
  const durationMs = duration ?? 0
  const known = stored(timing) ?? estimated(text, language, durationMs)
  return { text, durationMs, markup, timing: withShownText(known, text, markup) }
}

function withShownText(timing: JobTiming, text: string, markup: string | null): JobTiming {
  const { heard } = timing
  if (heard === null) return timing
  if (markup === 'ssml') return { ...timing, heard: shownText(text) ?? heard }
  return markup === 'pauses' ? { ...timing, heard: cutBetween(heard) } : timing
}

/** Null also for a format of a later version. */
function stored(timing: Buffer | null): JobTiming | null {
  try {
    return timing === null ? null : decodeTiming(timing)
  } catch {
    return null
  }
}

function estimated(text: string, language: string | null, durationMs: number): JobTiming {
  const known = LANGUAGES.find((name) => name === language) ?? detectLanguage(text)
  return { ...estimateTiming({ text, language: known }, durationMs), heard: null }
}
