import { LARGEST_SPELLED } from '../number-rules.ts'
import { beforeWords, inAnyCase, isSignFree, keepingSentenceEnd, listRule, oneOf, rule, signed } from '../rules.ts'
import type { Around, Read, Rule } from '../scan.ts'
import { type FoundMagnitude, joined, magnitudeForm, magnitudesOf } from './magnitudes.ts'
import { endsOf } from './sentence-ends.ts'
import type { Speaker } from './speaker.ts'
import type { Currency, Words } from './words.ts'

export function money(words: Words, say: Speaker): Rule[] {
  const names = Object.keys(words.currencies).flatMap((name) => (name.length > 2 ? inAnyCase([name]) : [name]))
  const byName = new Map(
    Object.entries(words.currencies).flatMap(([name, currency]) => [[name.toLowerCase(), currency] as const]),
  )
  const CURRENCY = oneOf(names)
  const magnitudes = magnitudesOf(words)
  const ends = endsOf(words)
  const read: Read = (groups, around, match) => {
    const { sign, number = '', name = '', per } = groups
    const currency = words.currencies[name] ?? byName.get(name.toLowerCase())
    if (currency === undefined || !isSignFree(sign, around)) return null
    const said = amountOf(words, say, number, currency, magnitudes.find(groups), around)
    const perWords = per === undefined ? '' : ` ${words.per} ${words.perUnits[per]}`
    return keepingSentenceEnd(match, around, `${sign === undefined ? '' : `${words.minus} `}${said}${perWords}`, ends)
  }
  // "F5" is a key, "5 F" is money.
  const BEFORE = oneOf(names.filter((name) => !/^\p{L}$/u.test(name)))
  const before = `(?<sign>[-−–])?(?<name>${BEFORE})[ \u00a0]?(?<number>${say.NUMBER})${magnitudes.pattern}?(?!\\d)`
  const behind = `(?<sign>[-−–])?(?<number>${say.NUMBER})${magnitudes.pattern}?(?:\\s(?:de|di|d['’]))?[ \u00a0]?(?<name>${CURRENCY})(?![\\p{L}\\d])(?: ?\\/ ?(?<per>${oneOf(Object.keys(words.perUnits))})(?!\\p{L}))?`
  return [
    rule('money', 'symbol', before, read),
    listRule('money', names, before, read),
    ...beforeWords([...names, ...magnitudes.beginnings, 'de ', 'di ', "d'", 'd’'], signed('money', behind, read)),
  ]
}

function amountOf(
  words: Words,
  say: Speaker,
  number: string,
  currency: Currency,
  magnitude: FoundMagnitude,
  around: Around,
): string {
  const { gender, part } = currency
  if (magnitude !== null) {
    const { word, joint } = magnitude
    return `${say.number(number, word.gender)} ${magnitudeForm(magnitude, number, say)} ${joined(words, joint, currency.forms.many ?? currency.forms.other)}`
  }
  const [whole = '', places = ''] = number.replace(/\.(?=\d{1,2}$)/, ',').split(',')
  const value = Number(say.plain(whole) || '0')
  const joint =
    value >= 1e6 && value % 1e6 === 0 ? words.magnitudes.find((one) => one.joint !== undefined)?.joint : undefined
  const isWhole = /^0*$/.test(places)
  const units =
    (value > LARGEST_SPELLED ? null : words.counted?.(value, currency, around)) ??
    `${say.whole(whole || '0', gender)} ${joined(words, joint, say.form(whole || '0', currency))}`
  if (isWhole) return units
  if (part === undefined || Number(places.slice(2)) > 0)
    return `${say.number(number, gender)} ${say.form(number, currency)}`
  const hundredths = String(Number(places.slice(0, 2).padEnd(2, '0')))
  const small =
    words.counted?.(Number(hundredths), part, around) ??
    `${say.whole(hundredths, part.gender)} ${say.form(hundredths, part)}`
  return value === 0 ? small : `${units} ${words.amountAnd}${small}`
}
