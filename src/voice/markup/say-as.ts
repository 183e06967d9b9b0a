import type { ReadOptions } from '../../reading/read.ts'
import type { TokenKind } from '../../reading/scan.ts'
import { isBlank, type Script, type ScriptSpan } from './script.ts'

interface Reader {
  readonly language: string
  readonly variant: ReadOptions['variant']
}

/** The kinds of a reading by the names of SSML that differ from them. */
const KINDS: Readonly<Record<string, TokenKind>> = {
  ...{ number: 'cardinal', digits: 'cardinal', unit: 'measure', duration: 'measure' },
  ...{ currency: 'money', characters: 'acronym' },
}
/** Letters are spelled as they stand, and nothing of them is read again. */
const SPELLED = 'characters'

/**
 * Reads each `say-as` as its writer asks, also for an engine that gets no words otherwise. Text that is not of the kind is free to be
 * read with the rest.
 * @param readers one for each segment
 */
export async function saidAs(script: Script, readers: readonly Reader[]): Promise<Script> {
  if (!script.segments.some(({ spans }) => spans.some(({ sayAs }) => sayAs !== undefined))) return script
  const { readAs } = await import('../../reading/read-as.ts')
  const segments = script.segments.map(({ spans, ...segment }, index) => {
    const { language, variant } = readers[index]!
    const whole = joined(spans)
    const said = whole.map((span, at): ScriptSpan => {
      const { sayAs, isFixed, ...plain } = span
      if (sayAs === undefined || isBlank([span])) return span
      const [before, after] = [whole[at - 1]?.spoken ?? '', whole[at + 1]?.spoken ?? '']
      const options = { format: sayAs.format, before, after, ...(variant && { variant }) }
      const words = readAs(span.spoken, sayAs.as, language, options)
      if (words === null) return sayAs.as === SPELLED ? span : plain
      const kind = KINDS[sayAs.as] ?? (sayAs.as as TokenKind)
      return { ...span, spoken: span.spoken.replace(span.spoken.trim(), () => words), isRead: true, kind }
    })
    return { ...segment, spans: said }
  })
  return { ...script, segments }
}

/** Character references and composed letters split one `say-as` into spans. */
function joined(spans: readonly ScriptSpan[]): ScriptSpan[] {
  const made: ScriptSpan[] = []
  for (const span of spans) {
    const before = made.at(-1)
    if (before === undefined || span.sayAs === undefined || before.sayAs !== span.sayAs) made.push(span)
    else made[made.length - 1] = { ...before, spoken: before.spoken + span.spoken, end: span.end }
  }
  return made
}
