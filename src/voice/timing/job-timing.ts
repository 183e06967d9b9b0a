import type { Code } from '../../catalog/markups.ts'
import type { Tx } from '../../db/database.ts'
import { detectLanguage, knownLanguage } from '../../engines/espeak/detect-language.ts'
import { readMarkdown } from '../markup/markdown.ts'
import { MarkupViolation } from '../markup/script.ts'
import { closeElements, readSsml, UNHEARD } from '../markup/ssml.ts'
import { type XmlToken, xmlTokens } from '../markup/xml-tokens.ts'
import { decodeTiming, type HeardRange, type JobTiming } from './speech-timing.ts'
import { estimateTiming } from './time-speech.ts'

const FIND = `select j.id, coalesce(j.inputs ->> 'text', $2) as text, j.inputs ->> 'language' as language, a.timing, a.duration_ms as duration,
    j.options ->> 'markup' as markup, j.options ->> 'code' as code
  from job j join artifact a on a.job_id = j.id and a.output = 'audio' where j.id = any($1) and a.job_id = any($1)
    and coalesce(j.inputs ->> 'text', $2) is not null`

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
  readonly code: string | null
}

type Open = Extract<XmlToken, { kind: 'open' }>
type Text = Extract<XmlToken, { kind: 'text' }>

/**
 * Loads texts and times by job; estimates times that were never stored. The caller checks access.
 * @param text of the job, if the caller knows it; without it a job whose text was not kept is left out
 */
export async function loadTimedJobs(
  db: Pick<Tx, 'query'>,
  jobIds: readonly string[],
  text: string | null = null,
): Promise<Map<string, TimedJob>> {
  const { rows } = await db.query<Row>({ name: 'timed_jobs', text: FIND, values: [jobIds, text] })
  return new Map(rows.map((row) => [row.id, timed(row)]))
}

function timed({ text, language, timing, duration, markup, code }: Row): TimedJob {
  const durationMs = duration ?? 0
  const known = stored(timing) ?? estimated(text, language, durationMs)
  return { text, durationMs, markup, timing: shownTiming(known, text, markup, code) }
}

/** Shows the submitted text as a listener would read it. */
export function shownTiming(timing: JobTiming, text: string, markup: string | null, code: string | null): JobTiming {
  const { heard } = timing
  if (markup === 'markdown') return { ...timing, heard: shownMarkdown(text, code === 'skip' ? 'skip' : 'read') }
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
  const known = knownLanguage(language) ?? detectLanguage(text)
  return { ...estimateTiming({ text, language: known }, durationMs), heard: null }
}

/** Returns the ranges of Markdown that are spoken, with references resolved. Pure. */
function shownMarkdown(text: string, code: Code): HeardRange[] {
  const { segments } = readMarkdown(text, code)
  const all = segments.flatMap(({ spans }) => spans.slice(0, -1))
  const shown = all.map(({ spoken, start, end }) =>
    spoken === text.slice(start, end)
      ? { start, end }
      : { start, end, shown: shownFor(spoken, text.slice(start, end)) },
  )
  return withCuts(
    shown,
    segments.map(({ spans }) => spans.at(-1)?.start ?? 0),
  )
}

/** A dot behind the number of an item is spoken as a colon. */
const shownFor = (spoken: string, written: string): string => (spoken === ': ' ? `${written} ` : spoken)

/** Returns the shown ranges of SSML without tags and with entities resolved; null if the markup is invalid. Pure. */
export function shownText(text: string): HeardRange[] | null {
  try {
    const cuts = readSsml(closeElements(text)).segments.map(({ spans }) => spans.at(-1)?.start ?? 0)
    return withCuts([...shownOf([...xmlTokens(text)])], cuts)
  } catch (error) {
    if (error instanceof MarkupViolation) return null
    throw error
  }
}

const cutBetween = (heard: readonly HeardRange[]): HeardRange[] =>
  withCuts(
    heard,
    heard.slice(1).map(({ start }) => start),
  )

function withCuts(heard: readonly HeardRange[], cuts: readonly number[]): HeardRange[] {
  const all: HeardRange[] = []
  let next = 0
  for (const range of heard) {
    for (; next < cuts.length && cuts[next]! <= range.start; next++)
      all.push({ start: cuts[next]!, end: cuts[next]!, isCut: true })
    for (; next < cuts.length && cuts[next]! < range.end; next++);
    all.push(range)
  }
  return all
}

function* shownOf(tokens: readonly XmlToken[]): Generator<HeardRange> {
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'open' && UNHEARD.has(token.name)) at = endOf(tokens, at)
    if (token.kind === 'text') yield shownAsIs(token)
    if (token.kind !== 'open' || token.name !== 'sub') continue
    const end = endOf(tokens, at)
    yield* shownOfSub(token, tokens.slice(at + 1, end))
    at = end
  }
}

function* shownOfSub({ start, end, attributes }: Open, content: readonly XmlToken[]): Generator<HeardRange> {
  const texts = content.filter((token) => token.kind === 'text')
  const alias = attributes.get('alias')
  if (alias === undefined || texts.some(({ text }) => text.trim() !== '')) yield* texts.map(shownAsIs)
  else if (texts.length === 0) yield { start, end, shown: alias }
  else yield { start: texts[0]!.start, end: texts.at(-1)!.end, shown: ` ${alias} ` }
}

const shownAsIs = ({ text, start, end }: Text): HeardRange =>
  text.length === end - start ? { start, end } : { start, end, shown: text }

function endOf(tokens: readonly XmlToken[], begin: number): number {
  const { name } = tokens[begin] as Open
  let depth = 0
  for (let at = begin; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.kind === 'text' || token.name !== name) continue
    if (token.kind === 'close') depth--
    else if (!token.isEmpty) depth++
    if (depth === 0) return at
  }
  return tokens.length
}
