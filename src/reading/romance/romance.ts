import { oneOf, rule, wordRule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { shortRules } from './abbreviations.ts'
import { codeRules } from './codes.ts'
import { yearRules } from './dates.ts'
import { fractionRules } from './fractions.ts'
import { mathRules } from './maths.ts'
import { primeRules } from './primes.ts'
import { romanRules } from './romans.ts'
import { hyphenRules, scoreRules } from './scores.ts'
import { slashRules } from './slashes.ts'
import type { RomanceWords } from './words.ts'

/** Rules that the three languages share, each in its own words. */
export const romanceRules = (words: RomanceWords): Rule[] => [
  ...extremeRules(words),
  ...romanRules(words),
  ...shortRules(words),
  ...scoreRules(words),
  ...primeRules(words),
  ...mathRules(words),
  ...slashRules(words),
  ...fractionRules(words),
  ...codeRules(words),
  ...thousandRules(words),
  shortThousandRule(words),
  ...yearRules(words),
  ...hyphenRules(words),
  endRule(words),
  degreeRule(words),
  roomLetterRule(words),
  spelledRule(words),
  dollarRule(),
]

/** "21 mil mujeres": the thousands have the gender of the noun too. */
const thousandRules = ({ cardinal, genderOf, noNouns }: RomanceWords): Rule[] => [
  rule(
    'cardinal',
    'digit',
    String.raw`(?<number>\d{1,3})(?= mil (?<noun>\p{Ll}{3,30}))`,
    ({ number = '', noun = '' }, { before }) =>
      noNouns.has(noun) || /[\d.,]$/.test(before) || Number(number) < 2
        ? null
        : cardinal(Number(number), genderOf(noun)),
  ),
]

/** Behind a capital K, which is also the name of a race or a screen. */
const IN_THOUSANDS =
  /^(?:euros?|d[óo]l\p{L}+|reais|pesos|libras|sterline|soles|follower|seguidores|iscritti|inscritos|suscriptores|visualiz\p{L}+|visitas|visite|views|likes?)$/u

/** "10K euros", "5k seguidores", but "corre 10K". */
const shortThousandRule = ({ decimal, thousands, noNouns }: RomanceWords): Rule =>
  rule(
    'cardinal',
    'digit',
    String.raw`(?<number>\d{1,3})(?:,(?<places>\d))?(?<sign>[kK])(?= ?[€$£]| (?<noun>\p{Ll}{4,30}))`,
    ({ number = '', places, sign, noun }) => {
      const isCounted = noun === undefined || (sign === 'k' ? !noNouns.has(noun) : IN_THOUSANDS.test(noun))
      if (!isCounted) return null
      return places === undefined ? thousands(Number(number)) : `${decimal(number, places)} ${thousands(1)}`
    },
  )

/** "potencia máx.": behind a feminine noun the word is feminine too. */
const extremeRules = ({ extremes, feminineNoun }: RomanceWords): Rule[] => {
  const FEMININE = new RegExp(`(?:${feminineNoun})\\s$`, 'u')
  return [
    wordRule(
      'abbreviation',
      ['m'],
      String.raw`(?<word>${oneOf(Object.keys(extremes))})(?:\.|(?!\p{L}))`,
      ({ word = '' }, { before }) => (FEMININE.test(before) ? (extremes[word] ?? null) : null),
    ),
  ]
}

/** "2.5." at the end of a sentence. */
const endRule = ({ decimal }: RomanceWords): Rule =>
  rule(
    'decimal',
    'digit',
    String.raw`(?<whole>\d{1,4})\.(?<places>\d{1,2})(?=\.(?:\s|$))`,
    ({ whole = '', places = '' }, { before }) =>
      /(?:^|[\d.,]|(?:^|\s)(?:el|al|del|il|dal|nel|dia|em|de|l['’]|ore|le|alle|dalle|às|las)\s|\d\.\d\d (?:a|a las|às|alle) )$/i.test(
        before,
      )
        ? null
        : decimal(whole, places),
  )

const HEAT =
  /(?:sen|sin|cos|tg|tan|m[áa]x(?:im[ao])?|m[íi]n(?:im[ao])?|massim[ao]|temperatura|horno|forno|ángulo|ângulo|angolo)[.:]?:? (?:d[ei] |a )?$/i
const TOWARDS = /(?:^|\s)(?:a|hasta|até|para|por|unos|casi|quase)\s$/i
const NOUN = /^ (?<noun>\p{Ll}{2,30})/u

/** "máx. 30º": degrees with the mark of ordinal numbers. */
const degreeRule = ({ cardinal, degrees, noNouns }: RomanceWords): Rule =>
  rule(
    'measure',
    'digit',
    String.raw`(?<number>\d{1,3})[º°](?![\d\p{L}]| ?[CF](?!\p{L}))`,
    ({ number = '' }, { before, after }) => {
      const noun = NOUN.exec(after)?.groups?.noun
      const isAlone = noun === undefined || noNouns.has(noun) || Number(number) > 60
      return HEAT.test(before) || (Number(number) > 14 && isAlone && TOWARDS.test(before))
        ? `${cardinal(Number(number))} ${degrees}`
        : null
    },
  )

const ROOMS =
  /(?:sala|aula|piso|puerta|porta|bloque|bloco|bl\.|clase|classe|grupo|gruppo|scala|interno|int\.|ap\.|apto\.?|n\.?[º°]|asiento|posto|assento|fila|poltrona|turma|casa|calle|rua|via|vagón|carrozza) $/i

/** "sala 3B": the letter is no unit. */
const roomLetterRule = ({ cardinal }: RomanceWords): Rule =>
  rule(
    'serial',
    'digit',
    String.raw`(?<number>\d{1,4})(?<letter>\p{Lu})(?![\p{L}\d/])`,
    ({ number = '', letter = '' }, { before, after }) =>
      /[B-H]/.test(letter) ||
      ROOMS.test(before) ||
      /^, ?\d{1,2}\p{Lu}(?!\p{L})/u.test(after) ||
      /\d\p{Lu}, ?$/u.test(before)
        ? `${cardinal(Number(number))} ${letter}`
        : null,
  )

/** Long acronyms that nobody says as a word. */
const spelledRule = ({ spelled }: RomanceWords): Rule =>
  rule('acronym', 'letter', String.raw`\p{Lu}{3,6}(?![\p{L}\d])`, (_groups, _around, match) =>
    spelled.has(match) ? Array.from(match).join(' ') : null,
  )

/** "$ 248 MXN": the code behind the amount names the currency. */
const dollarRule = (): Rule =>
  rule(
    'money',
    'symbol',
    String.raw`\$ ?(?=\d[\d.,]{0,15} ?(?:USD|MXN|ARS|COP|CLP|UYU|PEN|BRL|CAD|AUD|DOP|CUP|BOB)(?!\p{L}))`,
    () => '',
  )
