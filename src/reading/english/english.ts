import type { Read, RuleBook } from '../scan.ts'
import { acronyms } from './acronyms.ts'
import { counts } from './counts.ts'
import { dates } from './dates.ts'
import { electronic, MARKS } from './electronic.ts'
import { fractions } from './fractions.ts'
import { maths } from './maths.ts'
import { measures } from './measures.ts'
import { money } from './money.ts'
import { abbreviations, addresses, initials, romans } from './names.ts'
import { serials } from './serials.ts'
import { symbols } from './symbols.ts'
import { telephones } from './telephones.ts'
import { times } from './times.ts'

/** The rules of English: of Great Britain, or of the United States. */
export function english(variant?: string): RuleBook {
  const isBritish = variant === 'GB'
  const rules = [
    ...electronic(),
    ...addresses(),
    ...romans(),
    ...dates(isBritish),
    ...times(),
    ...telephones(),
    ...money(),
    ...measures(),
    ...maths(),
    ...fractions(),
    ...abbreviations(),
    ...initials(),
    ...serials(),
    ...acronyms(),
    ...counts(),
    ...symbols(),
  ]
  return { marks: MARKS, rules: isBritish ? rules.map((rule) => ({ ...rule, read: withAnd(rule.read) })) : rules }
}

const SMALL =
  'one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\w+teen|\\w+ty(?: (?:one|two|three|four|five|six|seven|eight|nine))?'
const WITHOUT_AND = new RegExp(
  `\\b(hundred|thousand|million|billion) (?=(?:${SMALL})(?: (?!hundred|thousand|million|billion)|[^ \\w]|$))`,
  'g',
)

/** "one hundred and five", as the British say. */
const withAnd =
  (read: Read): Read =>
  (groups, around, match) => {
    const answer = read(groups, around, match)
    if (answer === null) return null
    const change = (spoken: string) => spoken.replaceAll(WITHOUT_AND, '$1 and ')
    return typeof answer === 'string' ? change(answer) : { ...answer, spoken: change(answer.spoken) }
  }
