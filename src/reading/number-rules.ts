import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Numbers above this are read digit by digit, because a `number` no longer holds each of them exactly. */
export const LARGEST_SPELLED = Number.MAX_SAFE_INTEGER

/** Its multiples are exact far above {@link LARGEST_SPELLED}. */
export const QUADRILLION = 1e15

/** Years are below it. */
const MOST_KEPT = 2100

const SOFT_HYPHEN = /\u00ad/g
const HEADER = /^(\d+)(?:\/(\d+))?(>*)$/
/** Arrows with or without a rule set, `=set=`, an optional part in brackets, a plural, or plain text. */
const PART = /([←→=])([%\w-]*|#[#,0.]*)\1|→→→|\[|\]|\$\((cardinal|ordinal),([^)]*)\)\$|[^←→=[\]$]+|\$/g
const PLURAL_CASE = /(zero|one|two|few|many|other)\{([^}]*)\}/g

interface NumberRule {
  readonly base: number
  readonly divisor: number
  readonly parts: readonly Part[]
  /** Both a quotient and a remainder: ICU then uses the rule before it for multiples of the divisor. */
  readonly rollsBack: boolean
}

type Part =
  | { readonly text: string }
  | { readonly of: 'quotient' | 'remainder' | 'same' | 'remainder by the rule before'; readonly set: string | null }
  | { readonly optional: readonly Part[] }
  | { readonly plural: () => Intl.PluralRules; readonly cases: ReadonlyMap<string, string> }

type RawRules = readonly (readonly [header: string, body: string])[]

interface RuleSet {
  readonly rules: readonly NumberRule[]
  /** The words of numbers below {@link MOST_KEPT} that were asked for before. */
  readonly kept: string[]
}

/** The rule sets of a locale. Each is parsed when it is first used. */
interface RuleSets {
  readonly locale: string
  readonly raw: Readonly<Record<string, RawRules>>
  readonly parsed: Map<string, RuleSet>
}

const loaded = new Map<string, RuleSets>()

/**
 * Spells a number by CLDR's rule-based number formats.
 * @param locale a file of `cldr-rbnf`, such as `en` or `pt-PT`
 * @param ruleSet without its percent sign, such as `spellout-cardinal`
 * @param value a whole number from 0 to {@link LARGEST_SPELLED}, or a multiple of {@link QUADRILLION} below 10¹⁸
 * @param joint between the parts of a compound, such as a German number; nothing if it is absent
 * @throws RangeError for other values and unknown rule sets
 */
export function spell(locale: string, ruleSet: string, value: number, joint = ''): string {
  const isExact = value <= LARGEST_SPELLED || (value < 1e18 && value % QUADRILLION === 0)
  if (!Number.isInteger(value) || value < 0 || !isExact) throw new RangeError(`${value} is not spelled`)
  const sets = ruleSetsOf(locale)
  const spelled = apply(sets, ruleSet, value)
  return spelled.includes('\u00ad') ? spelled.replace(SOFT_HYPHEN, joint) : spelled
}

function ruleSetsOf(locale: string): RuleSets {
  const known = loaded.get(locale)
  if (known !== undefined) return known
  const { rbnf } = require(`cldr-rbnf/rbnf/${locale}.json`) as {
    rbnf: { rbnf: Record<string, Record<string, RawRules>> }
  }
  const { OrdinalRules, SpelloutRules } = rbnf.rbnf
  const sets = { locale, raw: { ...OrdinalRules, ...SpelloutRules }, parsed: new Map() }
  loaded.set(locale, sets)
  return sets
}

/** @param name with its percent sign, or without it */
function rulesNamed({ locale, raw, parsed }: RuleSets, name: string): RuleSet {
  const known = parsed.get(name)
  if (known !== undefined) return known
  const rules = (raw[name] ?? raw[`%${name}`])?.flatMap(([header, body]) => parseRule(locale, header, body))
  if (rules === undefined) throw new RangeError(`no rule set ${name}`)
  const set = { rules, kept: [] }
  parsed.set(name, set)
  return set
}

function parseRule(locale: string, header: string, body: string): NumberRule[] {
  const [, base, radix = '10', lowered = ''] = HEADER.exec(header) ?? []
  if (base === undefined) return []
  const exponent = Math.max(0, exponentOf(Number(base), Number(radix)) - lowered.length)
  const parts = parseParts(locale, body.replace(/;$/, '').replace(/^'/, ''))
  const flat = parts.flatMap((part) => ('optional' in part ? part.optional : [part]))
  const has = (of: string) => flat.some((part) => 'of' in part && part.of === of)
  return [
    { base: Number(base), divisor: Number(radix) ** exponent, parts, rollsBack: has('quotient') && has('remainder') },
  ]
}

function exponentOf(base: number, radix: number): number {
  let exponent = 0
  while (radix ** (exponent + 1) <= base) exponent++
  return exponent
}

const OF = { '←': 'quotient', '→': 'remainder', '=': 'same' } as const

function parseParts(locale: string, body: string): Part[] {
  const root: Part[] = []
  let open: Part[] = root
  for (const [whole, arrow, set, plural, cases] of body.matchAll(PART)) {
    if (whole === '[') open = []
    else if (whole === ']') {
      root.push({ optional: open })
      open = root
    } else if (whole === '→→→') open.push({ of: 'remainder by the rule before', set: null })
    else if (arrow !== undefined) open.push({ of: OF[arrow as keyof typeof OF], set: set || null })
    else if (plural !== undefined)
      open.push({
        plural: () => pluralRules(locale, plural as 'cardinal' | 'ordinal'),
        cases: new Map([...(cases ?? '').matchAll(PLURAL_CASE)].map(([, name = '', text = '']) => [name, text])),
      })
    else open.push({ text: whole })
  }
  return root
}

const plurals = new Map<string, Intl.PluralRules>()

/** Kept, because they take long to make. */
function pluralRules(locale: string, type: 'cardinal' | 'ordinal'): Intl.PluralRules {
  const key = `${locale} ${type}`
  const known = plurals.get(key)
  if (known !== undefined) return known
  const made = new Intl.PluralRules(locale, { type })
  plurals.set(key, made)
  return made
}

function apply(sets: RuleSets, name: string, value: number): string {
  const { rules, kept } = rulesNamed(sets, name)
  const known = kept[value]
  if (known !== undefined) return known
  const spelled = write(sets, name, rules, indexFor(rules, value), value)
  if (value < MOST_KEPT) kept[value] = spelled
  return spelled
}

function indexFor(rules: readonly NumberRule[], value: number): number {
  let index = rules.length - 1
  while (index > 0 && (rules[index]?.base ?? 0) > value) index--
  const rule = rules[index]
  const isMultiple = rule?.rollsBack && rule.base % rule.divisor !== 0 && value % rule.divisor === 0
  return isMultiple && index > 0 ? index - 1 : index
}

function write(sets: RuleSets, name: string, rules: readonly NumberRule[], index: number, value: number): string {
  const rule = rules[index] as NumberRule
  const quotient = Math.floor(value / rule.divisor)
  const remainder = value % rule.divisor
  const show = (parts: readonly Part[]): string =>
    parts
      .map((part) => {
        if ('text' in part) return part.text
        if ('optional' in part) return remainder === 0 ? '' : show(part.optional)
        if ('plural' in part) return part.cases.get(part.plural().select(quotient)) ?? part.cases.get('other') ?? ''
        if (part.of === 'remainder by the rule before') return write(sets, name, rules, index - 1, remainder)
        const number = part.of === 'quotient' ? quotient : part.of === 'remainder' ? remainder : value
        return /^[#0]/.test(part.set ?? '') ? String(number) : apply(sets, part.set ?? name, number)
      })
      .join('')
  return show(rule.parts)
}
