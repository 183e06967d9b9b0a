import type { Groups } from '../scan.ts'
import type { Speaker } from './speaker.ts'
import type { Magnitude, Words } from './words.ts'

/** The period of "Mio.", "mln." and "тыс.". Behind a whole word, as "mil", it ends the sentence. */
const periodOf = ({ sentenceStart = String.raw`\p{Lu}\p{Ll}` }: Words): string =>
  String.raw`(?:(?<=[^\p{L}]\p{L}{1,4})(?<!mila?)\.(?!\s*$|\s+(?:${sentenceStart})))?`

/** With the word as it is written. */
export type FoundMagnitude = (Magnitude & { readonly written: string }) | null

/** "1,5 milhão" stays as it is written, although other decimals are more than one. */
export function magnitudeForm({ word, written }: NonNullable<FoundMagnitude>, number: string, say: Speaker): string {
  return written === word.forms.one && /^[01],/.test(number) ? written : say.form(number, word)
}

/** A pattern for the magnitudes of a language, and the one that a match has found. */
export function magnitudesOf(words: Words): {
  pattern: string
  beginnings: readonly string[]
  find(groups: Groups): FoundMagnitude
} {
  const { magnitudes } = words
  const alternatives = magnitudes.map(({ pattern }, index) => `(?<m${index}>${pattern})`).join('|')
  return {
    pattern: `(?:[ \u00a0]?(?:${alternatives || '(?!)'})(?!\\p{L})${periodOf(words)})`,
    beginnings: magnitudes.flatMap(({ pattern }) => pattern.split('|').flatMap(beginningsOf)),
    find: (groups) => {
      const index = magnitudes.findIndex((_magnitude, at) => groups[`m${at}`] !== undefined)
      const found = magnitudes[index]
      return found === undefined ? null : { ...found, written: groups[`m${index}`] ?? '' }
    },
  }
}

/** The letters that an alternative begins with, such as `[Mm]illion(?:en)?`. */
function beginningsOf(alternative: string): string[] {
  const [, first = '', letters = ''] = /^(?:\[(\p{L}+)\])?(\p{L}*?)(?:\p{L}\?|(?!\p{L}))/u.exec(alternative) ?? []
  return first === '' ? [letters] : Array.from(first, (letter) => `${letter}${letters}`)
}

/** A magnitude's joint and the word behind it: "millions d'euros". */
export const joined = ({ elide }: Words, joint: string | undefined, word: string): string =>
  joint === undefined ? word : (elide?.(joint, word) ?? `${joint}${word}`)
