import { codePoints } from '../../catalog/voice-endpoint.ts'
import { FASTEST_PACE, SLOWEST_PACE } from '../../engines/engine.ts'
import { LANGUAGE_CODES, LANGUAGES, type Language } from '../../engines/espeak/detect-language.ts'
import type { TextRange } from '../timing/offset-map.ts'
import { MAX_PAUSE_MS, type Manner, MarkupViolation, type SayAs, type Script, ScriptBuilder } from './script.ts'
import { hasTags, wrongAt, type XmlToken, xmlTokens } from './xml-tokens.ts'

const MAX_DEPTH = 16
const BREAK_MS = 500
const SPELLED: ReadonlySet<string | undefined> = new Set(['characters', 'spell-out', 'verbatim'])
const LETTERS = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const MARKUP = /^\s*(<\?xml|<speak[\s>/]|<!)/

const HAS_LANGUAGE: ReadonlySet<string> = new Set(['speak', 'p', 's', 'lang', 'voice'])
const ABOUT_LANGUAGE: ReadonlySet<string> = new Set(['speak', 'lang'])

/** The SSML specification keeps these elements silent. */
export const UNHEARD: ReadonlySet<string> = new Set(['metadata', 'desc'])
const TIME = /^\+?(\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})\s?(ms|s)$/i
const RATE = /^([+-])?(\d{1,4}(?:\.\d{1,4})?)(%)?$/
const RATES: Readonly<Record<string, number>> = {
  'x-slow': 0.5,
  slow: 0.75,
  medium: 1,
  default: 1,
  fast: 1.25,
  'x-fast': 1.75,
}
const STRENGTHS: Readonly<Record<string, number>> = {
  none: 0,
  'x-weak': 100,
  weak: 250,
  medium: 500,
  strong: 1000,
  'x-strong': 1500,
}
const STRENGTH_NAMES = Object.keys(STRENGTHS).join(', ')

type Open = Extract<XmlToken, { kind: 'open' }>
type Text = Extract<XmlToken, { kind: 'text' }>

interface Element {
  readonly name: string
  readonly start: number
  readonly manner: Manner
  readonly alias?: string
  readonly isSpelled?: boolean
  readonly sayAs?: SayAs
}

/**
 * Reads the supported SSML: speak, p, s, break, sub, mark, lang, voice, prosody rate, say-as. Keeps the text of other elements. A
 * text without tags is plain text.
 * @throws MarkupViolation
 */
export function readSsml(text: string): Script {
  if (!hasTags(text)) {
    const plain = new ScriptBuilder()
    plain.add({ spoken: text, start: 0, end: text.length }, codePoints(text))
    return plain.finish(text.length)
  }
  if (!MARKUP.test(text)) throw new MarkupViolation('must begin with <speak>, or have no tags')
  const reader = new SsmlReader()
  for (const token of xmlTokens(text)) reader.take(token)
  return reader.finish(text.length)
}

/** Ends the open elements of the beginning of an SSML text. */
export function closeElements(text: string): string {
  const open: string[] = []
  if (hasTags(text))
    for (const token of xmlTokens(text)) {
      if (token.kind === 'open' && !token.isEmpty) open.unshift(`</${token.name}>`)
      if (token.kind === 'close') open.shift()
    }
  return text + open.join('')
}

class SsmlReader {
  readonly #script = new ScriptBuilder()
  readonly #open: Element[] = []
  #hasEnded = false
  #replaced = ''
  #replacedRange: TextRange | null = null
  /** A letter and its mark may arrive as separate tokens. */
  #spelled: Text[] = []

  take(token: XmlToken): void {
    if (token.kind === 'text') this.#text(token)
    else this.#spell()
    if (token.kind === 'open') this.#begin(token)
    if (token.kind === 'close' || (token.kind === 'open' && token.isEmpty))
      this.#close(token.name, token.start, token.end)
  }

  finish(at: number): Script {
    const left = this.#open.at(-1)
    if (left !== undefined) throw wrongAt(left.start, `<${left.name}> without its end`)
    return this.#script.finish(at)
  }

  get #isReplaced(): boolean {
    return this.#open.some(({ alias }) => alias !== undefined)
  }

  #text(token: Text): void {
    const { text, start, end } = token
    const element = this.#open.at(-1)
    if (element === undefined) {
      if (text.trim() !== '') throw wrongAt(start, 'text outside of <speak>')
      return
    }
    if (this.#open.some(({ name }) => UNHEARD.has(name))) return
    if (this.#isReplaced) this.#replace(text, start, end)
    else if (this.#open.some(({ isSpelled }) => isSpelled)) this.#spelled.push(token)
    else {
      const sayAs = this.#open.findLast((one) => one.sayAs !== undefined)?.sayAs
      const span = { spoken: text, start, end, ...(sayAs && { sayAs, isFixed: true as const }) }
      this.#script.add(span, codePoints(text))
    }
  }

  #replace(text: string, start: number, end: number): void {
    this.#replaced += text
    this.#replacedRange = { start: this.#replacedRange?.start ?? start, end }
  }

  #spell(): void {
    const places = this.#spelled.flatMap(placesOf)
    let at = 0
    for (const { segment: letter } of LETTERS.segment(this.#spelled.map(({ text }) => text).join(''))) {
      const { start } = places[at]!
      at += letter.length
      const { end } = places[at - 1]!
      const span = { spoken: letter.normalize('NFC').toUpperCase(), start, end, isFixed: true as const }
      this.#script.add({ ...span, sayAs: { as: 'characters', format: '' } }, codePoints(letter))
      this.#script.add({ spoken: ' ', start: end, end, isFixed: true }, 0)
    }
    this.#spelled = []
  }

  #begin(tag: Open): void {
    const { name, start } = tag
    const outer = this.#open.at(-1)
    if (this.#hasEnded || (outer === undefined && name !== 'speak'))
      throw wrongAt(start, `<${name}> outside of <speak>`)
    if (outer !== undefined && name === 'speak') throw wrongAt(start, '<speak> within another')
    if (this.#open.length >= MAX_DEPTH) throw wrongAt(start, `more than ${MAX_DEPTH} elements within each other`)
    const manner = mannerOf(tag, outer?.manner ?? {})
    if (manner !== outer?.manner) this.#changeManner(start, manner)
    if (name === 'p') this.#script.cut(start, 'paragraph')
    if (name === 's') this.#script.cut(start, 'sentence')
    if (UNHEARD.has(name)) this.#script.cut(start, 'none')
    if (name === 'break') this.#script.cut(start, 'none', breakOf(tag))
    const alias = name === 'sub' ? required(tag, 'alias') : undefined
    const as = name === 'say-as' ? (tag.attributes.get('interpret-as') ?? '').trim().toLowerCase() : ''
    const isSpelled = SPELLED.has(as)
    const sayAs = as === '' || isSpelled ? undefined : { as, format: tag.attributes.get('format') ?? '' }
    if (alias !== undefined && !this.#isReplaced) [this.#replaced, this.#replacedRange] = ['', null]
    this.#open.push({ name, start, manner, isSpelled, ...(sayAs && { sayAs }), ...(alias !== undefined && { alias }) })
  }

  #close(name: string, start: number, end: number): void {
    const element = this.#open.pop()
    if (element === undefined || element.name !== name) throw wrongAt(start, `</${name}> where it does not belong`)
    if (element.alias !== undefined && !this.#isReplaced)
      this.#sayAlias(element.alias, this.#replacedRange ?? { start: element.start, end })
    if (name === 'p') this.#script.cut(start, 'paragraph')
    if (name === 's') this.#script.cut(start, 'sentence')
    const outer = this.#open.at(-1)?.manner ?? {}
    if (element.manner !== outer && this.#open.length > 0) this.#changeManner(end, outer)
    this.#hasEnded = this.#open.length === 0
  }

  #sayAlias(alias: string, { start, end }: TextRange): void {
    const replaced = this.#replaced
    if (/^\s/.test(replaced)) this.#script.add({ spoken: ' ', start, end: start, isFixed: true }, 0)
    const charged = Math.max(codePoints(alias), codePoints(replaced))
    this.#script.add({ spoken: alias, start, end, isFixed: true }, charged)
    if (/\s$/.test(replaced)) this.#script.add({ spoken: ' ', start: end, end, isFixed: true }, 0)
  }

  #changeManner(at: number, manner: Manner): void {
    this.#script.cut(at, 'none')
    this.#script.manner = manner
  }
}

const placesOf = ({ text, start, end }: Text): TextRange[] =>
  Array.from({ length: text.length }, (_, n) =>
    end - start === text.length ? { start: start + n, end: start + n + 1 } : { start, end },
  )

/**
 * Returns the same object if nothing changes. Only `speak` and `lang` reject an unsupported language, so texts accepted earlier stay
 * readable.
 */
function mannerOf(tag: Open, outer: Manner): Manner {
  const { name, attributes, start } = tag
  const code = HAS_LANGUAGE.has(name)
    ? (attributes.get('xml:lang') ?? (name === 'voice' ? attributes.get('language') : undefined))
    : undefined
  if (name === 'lang' && code === undefined) throw wrongAt(start, '<lang> without xml:lang')
  const language = code === undefined ? undefined : readLanguage(code)
  if (language === null && ABOUT_LANGUAGE.has(name))
    throw wrongAt(start, `the language "${code?.slice(0, 40)}", which is not spoken here`)
  const spoken = language == null || language === outer.language ? outer : { ...outer, language }
  const voice = name === 'voice' ? attributes.get('name')?.trim() : undefined
  if (voice) return { ...spoken, voice }
  if (spoken !== outer) return spoken
  const given = name === 'prosody' ? attributes.get('rate') : undefined
  if (given === undefined) return outer
  const rate = (readRate(given.trim()) ?? 0) * (outer.rate ?? 1)
  if (!isSpeakable(rate)) throw wrongAt(start, `the rate "${given.slice(0, 40)}": it must be from 25% to 400%`)
  return { ...outer, rate }
}

function required({ name, attributes, start }: Open, attribute: string): string {
  const value = attributes.get(attribute)?.trim() ?? ''
  if (value === '') throw wrongAt(start, `<${name}> without ${attribute}`)
  return value
}

function breakOf({ attributes, start }: Open): number {
  const [time, strength] = [attributes.get('time'), attributes.get('strength')]
  const ms = time !== undefined ? readPause(time.trim()) : strength !== undefined ? readStrength(strength) : BREAK_MS
  if (ms !== null) return ms
  const wanted =
    time === undefined ? `strength is one of ${STRENGTH_NAMES}` : 'time is such as 1.5s or 500ms, at most 10s'
  throw wrongAt(start, `a break that cannot be read: its ${wanted}`)
}

/** Parses `1.5s`, `2 s` or `500ms` to milliseconds; null if invalid or longer than MAX_PAUSE_MS. */
export function readPause(time: string): number | null {
  const [, amount, unit = ''] = TIME.exec(time) ?? []
  if (amount === undefined) return null
  const ms = Math.round(Number(amount) * (unit.toLowerCase() === 's' ? 1000 : 1))
  return ms <= MAX_PAUSE_MS ? ms : null
}

const readStrength = (strength: string): number | null =>
  Object.hasOwn(STRENGTHS, strength) ? (STRENGTHS[strength] ?? null) : null

/** Parses a rate (a word, `1.2`, `80%`, `+20%`) to a factor; null if invalid or outside 0.25 to 4. */
function readRate(rate: string): number | null {
  const [, sign, amount = '', percent] = RATE.exec(rate) ?? []
  const word = Object.hasOwn(RATES, rate) ? RATES[rate] : undefined
  if (word !== undefined) return word
  if (amount === '' || (sign !== undefined && percent === undefined)) return null
  const number = Number(amount) / (percent === undefined ? 1 : 100)
  const factor = sign === undefined ? number : sign === '+' ? 1 + number : 1 - number
  return isSpeakable(factor) ? factor : null
}

const isSpeakable = (rate: number): boolean => rate >= SLOWEST_PACE && rate <= FASTEST_PACE

function readLanguage(code: string): Language | null {
  const [spoken = ''] = code.toLowerCase().split(/[-_]/, 1)
  return LANGUAGES.find((language) => LANGUAGE_CODES[language] === spoken) ?? null
}
