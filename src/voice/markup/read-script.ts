import type { Code, Markup } from '../../catalog/markups.ts'
import { codePoints } from '../../catalog/voice-endpoint.ts'
import { readMarkdown } from './markdown.ts'
import { MarkupViolation, type Script, ScriptBuilder, type ScriptSpan, SpanReader } from './script.ts'
import { readPause, readSsml } from './ssml.ts'

const TAG = /\[pause:([^\][]{0,40})\]?/gi
const CLUSTER = /.[\p{M}\u1160-\u11ff]*/gsu

/**
 * Reads a submitted text and composes it (NFC). Pure.
 * @throws MarkupViolation
 */
export const readScript = (text: string, markup: Markup, code?: Code): Script =>
  composed(readMarkup(text, markup, code))

function readMarkup(text: string, markup: Markup, code: Code = 'read'): Script {
  if (markup === 'markdown') return readMarkdown(text, code)
  if (markup === 'pauses') return readPauses(text)
  if (markup === 'ssml') return readSsml(text)
  const spans = [{ spoken: text, start: 0, end: text.length }]
  return { segments: [{ spans, manner: {}, pause: 'none', silenceMs: 0 }], characters: codePoints(text) }
}

function readPauses(text: string): Script {
  const script = new ScriptBuilder()
  let at = 0
  const say = (end: number): void => {
    const spoken = text.slice(at, end)
    if (spoken !== '') script.add({ spoken, start: at, end }, codePoints(spoken))
  }
  for (const { 0: tag, 1: time = '', index } of text.matchAll(TAG)) {
    const silenceMs = tag.endsWith(']') ? readPause(time.trim()) : null
    if (silenceMs === null)
      throw new MarkupViolation(`has a pause that cannot be read: "${tag}"; write [pause:1.5s], of at most 10 s`)
    say(index)
    at = index + tag.length
    script.cut(at, 'none', silenceMs)
  }
  say(text.length)
  return script.finish(text.length)
}

export const isComposed = (text: string): boolean => text.normalize('NFC') === text

/** Composes a script (NFC), so that an engine gets one form; offsets still count the submitted characters. Pure. */
function composed(script: Script): Script {
  const segments = script.segments.map((segment) => ({ ...segment, spans: composedSpans(segment.spans) }))
  return { ...script, segments }
}

function composedSpans(spans: readonly ScriptSpan[]): readonly ScriptSpan[] {
  if (isComposed(spans.map(({ spoken }) => spoken).join(''))) return spans
  const whole = spans.map((span) => (isVerbatim(span) ? span : { ...span, spoken: span.spoken.normalize('NFC') }))
  const rest = new SpanReader(whole)
  const text = whole.map(({ spoken }) => spoken).join('')
  const made: ScriptSpan[] = []
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    const spoken = cluster.normalize('NFC')
    if (spoken === cluster) continue
    made.push(...rest.takeUntil(index))
    const taken = rest.takeUntil(index + cluster.length)
    const { start, sayAs } = taken[0]!
    const isFixed = taken.some((span) => span.isFixed)
    made.push({ spoken, start, end: taken.at(-1)!.end, ...(isFixed && { isFixed }), ...(sayAs && { sayAs }) })
  }
  return [...made, ...rest.takeUntil(text.length)]
}

const isVerbatim = ({ spoken, start, end }: ScriptSpan): boolean => end - start === spoken.length
