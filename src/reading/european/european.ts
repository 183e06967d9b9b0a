import { electronicRules } from '../electronic.ts'
import type { Rule, RuleBook } from '../scan.ts'
import { dates } from './dates.ts'
import { measures } from './measures.ts'
import { money } from './money.ts'
import { abbreviations, acronyms, romans, serials } from './names.ts'
import { fractions, numbers, ordinals, ranges, sections } from './numbers.ts'
import { type Speaker, speakerOf } from './speaker.ts'
import { symbols } from './symbols.ts'
import { telephones } from './telephones.ts'
import { times } from './times.ts'
import type { Words } from './words.ts'

/** The rules over the words of a language. */
export function rulesOf(words: Words): RuleBook {
  const say = speakerOf(words)
  return {
    marks: words.marks,
    rules: [
      ...electronic(words, say),
      ...sections(words, say),
      ...(words.more ?? []),
      ...romans(words),
      ...dates(words, say),
      ...times(words),
      ...telephones(words, say),
      ...money(words, say),
      ...measures(words, say),
      ...fractions(words, say),
      ...ordinals(words, say),
      ...ranges(words, say),
      ...serials(say),
      ...numbers(words, say),
      ...abbreviations(words),
      ...acronyms(words),
      ...symbols(words, say),
    ],
  }
}

const electronic = (words: Words, { digits }: Speaker): Rule[] => {
  const { marks, letter, saidAsWords, addressWords, fileWords, isSaid } = words
  return electronicRules({
    marks,
    digits,
    letters: (letters, place, isFile) => {
      const lower = letters.toLowerCase()
      const isLong = letters.length > 3 && place !== 'start'
      const isWord = place === 'word' || (isSaid?.(letters) ?? (isLong || saidAsWords.has(lower)))
      return (
        (isFile ? fileWords?.[lower] : undefined) ??
        addressWords?.[lower] ??
        (isWord ? letters : Array.from(letters, letter).join(' '))
      )
    },
  })
}
