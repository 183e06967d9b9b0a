import type { Lexicon } from '../../lexicon/compile-lexicon.ts'
import { FIXED } from '../../lexicon/tokens.ts'
import { OffsetMap } from '../timing/offset-map.ts'
import { type Script, type ScriptSpan, type Segment, SpanReader } from './script.ts'

/** Replaces words by a lexicon's entries; fixed spans, such as aliases of the markup, stay. Pure. */
export function applyLexicon(
  script: Script,
  submitted: string,
  lexicon: Lexicon,
  languageOf: (segment: Segment) => string | undefined,
): Script {
  const segments = script.segments.map((segment) => ({
    ...segment,
    spans: replaced(segment.spans, submitted, (text) => lexicon.find(text, languageOf(segment))),
  }))
  return { ...script, segments }
}

function replaced(
  spans: readonly ScriptSpan[],
  submitted: string,
  find: (text: string) => ReturnType<Lexicon['find']>,
): readonly ScriptSpan[] {
  const text = spans.map(({ spoken, isFixed }) => (isFixed ? FIXED.repeat(spoken.length) : spoken)).join('')
  const replacements = find(text)
  if (replacements.length === 0) return spans
  const map = new OffsetMap(submitted, spans)
  const rest = new SpanReader(spans)
  const made = replacements.flatMap(({ start, end, alias }) => {
    const before = rest.takeUntil(start)
    rest.takeUntil(end)
    return [...before, { spoken: alias, ...map.toSubmitted({ start, end }), isFixed: true as const }]
  })
  return [...made, ...rest.takeUntil(text.length)]
}
