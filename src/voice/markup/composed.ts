import { type Script, type ScriptSpan, SpanReader } from './script.ts'

const CLUSTER = /.[\p{M}\u1160-\u11ff]*/gsu

export const isComposed = (text: string): boolean => text.normalize('NFC') === text

/** Composes a script (NFC), so that an engine gets one form; offsets still count the submitted characters. Pure. */
export function composed(script: Script): Script {
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
