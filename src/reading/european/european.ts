import { electronicRules } from '../electronic.ts'
import type { Rule, RuleBook } from '../scan.ts'
import { dates } from './dates.ts'
import { measures } from './measures.ts'
import { money } from './money.ts'
import { abbreviations, acronyms, plates, romans, serials } from './names.ts'
import { fractions, numbers, ordinals, ranges, sections } from './numbers.ts'
import { type Speaker, speakerOf } from './speaker.ts'
import { symbols } from './symbols.ts'
import { telephones } from './telephones.ts'
import { times } from './times.ts'
import type { Words } from './words.ts'

/** The rules over the words of a language. */
export function rulesOf(words: Words): RuleBook {
  const say = speakerOf(words)
  const { ranged } = words
  const rules = allRules(words, say)
  return {
    marks: words.marks,
    rules: ranged === undefined ? rules : rules.map((one) => (one.kind === 'range' ? inContext(one, ranged) : one)),
  }
}

const inContext = (one: Rule, ranged: NonNullable<Words['ranged']>): Rule => ({
  ...one,
  read: (groups, around, match) => {
    const answer = one.read(groups, around, match)
    return typeof answer === 'string' ? ranged(answer, around.before, match, around.after) : answer
  },
})

const allRules = (words: Words, say: Speaker): Rule[] => [
  ...electronic(words, say),
  ...sections(words, say),
  ...plates(words, say),
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
]

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
