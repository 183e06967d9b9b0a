import { nextTurn } from '../../concurrency/next-turn.ts'
import type { Language } from '../../engines/espeak/detect-language.ts'
import { FIXED, type Replacement } from '../../lexicon/compile-lexicon.ts'
import type { Variant } from '../../reading/read.ts'
import type { Reading } from '../../reading/scan.ts'
import { freeText, replaceIn, type Script, type ScriptSpan } from './script.ts'

const MOST_NAMED = 10
/** Letters and signs of some sound; modifier letters have none of their own. */
const SOUNDING = /[\p{Lu}\p{Ll}\p{Lo}\p{N}\p{S}]/u
const ALWAYS_SAID = /[\p{ASCII}\p{scx=Latin}\p{Emoji_Presentation}]/u
const SCRIPTS: Readonly<Partial<Record<Language, RegExp>>> = {
  Chinese: /\p{scx=Han}/u,
  Japanese: /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]/u,
  Korean: /\p{scx=Hangul}/u,
  Russian: /\p{scx=Cyrillic}/u,
}

interface Reader {
  /** Undefined: the text stays as it is. */
  readonly language: Language | undefined
  readonly variant: Variant | undefined
}

interface WordsFor extends Replacement, Pick<ScriptSpan, 'kind'> {}

/**
 * Gives a script the words that a person would say for its numbers, dates, signs and abbreviations; fixed spans stay.
 * Other work of the process runs between its steps.
 * @param readers one for each segment
 */
export async function inWords(script: Script, submitted: string, readers: readonly Reader[]): Promise<Script> {
  const { readInSteps } = await import('../../reading/read.ts')
  const segments: Script['segments'][number][] = []
  for (const [index, { spans, ...segment }] of script.segments.entries()) {
    const { language, variant } = readers[index]!
    const text = freeText(spans)
    const steps = readInSteps(text, language ?? '', { variant })
    const found = replacementsOf(text, await inTurns(steps))
    segments.push({ ...segment, spans: replaceIn(spans, submitted, found, { isRead: true }) })
  }
  return { ...script, segments }
}

/** Returns code points, such as U+2713, that have no words in a language and are of none of its scripts. Pure. */
export function wordless(text: string, language: Language): string[] {
  const found = new Set<string>()
  for (const character of new Set(text))
    if (SOUNDING.test(character) && !ALWAYS_SAID.test(character) && SCRIPTS[language]?.test(character) !== true)
      found.add(`U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
  return [...found].slice(0, MOST_NAMED)
}

async function inTurns(steps: Generator<void, Reading, void>): Promise<Reading> {
  for (;;) {
    const { done, value } = steps.next()
    await nextTurn()
    if (done === true) return value
  }
}

/** Returns the differences of a reading from its text: tokens, spaces between words, usual forms of letters. Pure. */
export function replacementsOf(text: string, { spoken, tokens }: Reading): WordsFor[] {
  const found: WordsFor[] = []
  const unitAt = unitCounter(text)
  let [at, said] = [0, 0]
  const copyUntil = (end: number): void => {
    while (at < end) {
      const [written = '', heard = ''] = [text[at], spoken[said]]
      const isAdded = heard === ' ' && /\S/.test(written)
      if (heard !== written) found.push({ start: at, end: isAdded ? at : at + 1, alias: heard })
      if (!isAdded) at++
      said++
    }
  }
  for (const token of tokens) {
    const [start, end] = [unitAt(token.start), unitAt(token.start + token.length)]
    copyUntil(start)
    const from = said
    if (!spoken.startsWith(token.spoken, said)) said++
    said += token.spoken.length
    found.push({ start, end, alias: spoken.slice(from, said), kind: token.kind })
    at = end
  }
  copyUntil(text.length)
  return found.filter(({ start, end }) => !text.slice(start, end).includes(FIXED))
}

/** Returns the UTF-16 unit of a code point, which may only grow from call to call. */
function unitCounter(text: string): (point: number) => number {
  let [points, units] = [0, 0]
  return (point) => {
    for (; points < point; points++) units += text.codePointAt(units)! > 0xffff ? 2 : 1
    return units
  }
}
