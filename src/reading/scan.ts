import type { Pattern } from './pattern.ts'
import { mayFollow, mayFollowLetters, mayStart } from './pattern-starts.ts'

/** The classes of text that is spoken in other words than it is written in. */
export type TokenKind =
  | 'cardinal'
  | 'ordinal'
  | 'decimal'
  | 'fraction'
  | 'money'
  | 'measure'
  | 'date'
  | 'time'
  | 'telephone'
  | 'electronic'
  | 'range'
  | 'roman'
  | 'serial'
  | 'score'
  | 'math'
  | 'abbreviation'
  | 'acronym'
  | 'symbol'
  | 'emoji'
  | 'punctuation'

/** A part of the text that is spoken in other words than it is written in. */
interface ReadToken {
  /** In code points of the text. */
  readonly start: number
  readonly length: number
  readonly kind: TokenKind
  readonly spoken: string
}

export interface Reading {
  readonly spoken: string
  readonly tokens: readonly ReadToken[]
}

/** The text beside a match: at most 48 characters on each side, so that a rule stays linear. */
export interface Around {
  readonly before: string
  readonly after: string
}

export type Groups = Readonly<Record<string, string | undefined>>

/** Null: the rule does not apply here. With a length, the rest of the match is left to later rules. */
export type RuleAnswer = string | { readonly spoken: string; readonly length: number } | null

export type Read = (groups: Groups, around: Around, match: string) => RuleAnswer

export interface Rule {
  readonly kind: TokenKind
  /** Sticky, and every repetition in it is bounded. */
  readonly pattern: Pattern
  readonly starts: Start
  /** Narrows `starts` to these characters. Others are not tried, which is faster. */
  readonly first?: string
  /** Narrows it further to texts that begin with one of these, each of up to three characters. */
  readonly prefixes?: ReadonlySet<string>
  /** The same for the text behind the number that its matches begin with. */
  readonly behind?: ReadonlySet<string>
  /** Tried only at a letter that no other one follows. */
  readonly isAlone?: boolean
  /** If letters follow its digits and spaces, tried only if they are one of these words. */
  readonly wordsBehind?: ReadonlySet<string>
  /** A period or comma that begins it has a digit behind it. */
  readonly isNumber?: boolean
  readonly read: Read
}

export type Start = 'digit' | 'letter' | 'symbol'

/** The rules of a language, in the order in which they are tried. */
export interface RuleBook {
  readonly rules: readonly Rule[]
  /** If spoken words get spaces that the text does not have: on both sides, unless the language says otherwise. */
  readonly spaces?: 'before numbers' | 'none'
  /** Letters that the language writes without spaces: no rule begins with them. */
  readonly unspaced?: RegExp
  /** Gives letters and digits their usual forms before the rules see them. It keeps the length of the text. */
  readonly fold?: (text: string) => string
  /** The names of marks, as they are said where a text is spelled. */
  readonly marks?: Readonly<Record<string, string>>
}

const AROUND_CHARACTERS = 48
/** The length of the words in `prefixes` and `behind`. */
export const LONGEST_PREFIX = 3
const NUMBER_PARTS = "0123456789., \u00a0\u2009\u202f'’"
/** With its decimals and marks. */
const LONGEST_NUMBER = 100
const SIGNS = '-−–+±'
const NO_FOLLOWER = -1
const STEP_CHARACTERS = 500
/** Letters from here on, such as Hangul, are no first letters of rules. */
const LARGE_ALPHABETS = 0x500
const LETTER_OR_MARK = /[\p{L}\p{M}]/u
const DIGIT = /\p{Nd}/u
/** No rule begins with these. They are the usual marks between East Asian words. */
const PAUSES = '、。，！？；：「」『』'
const HANGUL = /[가-힣]/

interface Dispatch {
  /** By character code, also by what follows the digits or the word. Letters of large alphabets share one entry. */
  readonly table: Map<number, Candidates>
  readonly byStart: Readonly<Record<Start, readonly Rule[]>>
}

interface Candidates {
  readonly rules: readonly Rule[]
  /** Those whose prefixes fit, by the next characters. Null: none has prefixes. */
  readonly byBeginning: Map<string, readonly Rule[]> | null
}

/** Beginnings of words that are kept for each first letter. */
const MOST_BEGINNINGS = 2000

const dispatches = new WeakMap<RuleBook, Dispatch>()

/**
 * Reads a text in one pass. At each start of a number, word or symbol the first rule that applies takes its match; all other text stays as it is.
 * Linear in the length of the text.
 */
export const scan = (text: string, book: RuleBook): Reading => allSteps(scanInSteps(text, book))

export function allSteps(steps: Generator<void, Reading, void>): Reading {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Stops after every 500 characters or so, until it is asked for the next ones. */
export function* scanInSteps(written: string, book: RuleBook): Generator<void, Reading, void> {
  const text = book.fold?.(written) ?? written
  const dispatch = dispatchOf(book)
  const tokens: ReadToken[] = []
  const spoken: string[] = []
  const points = pointCounter(text)
  let copied = 0
  let word: Script | null = null
  let step = STEP_CHARACTERS
  for (let at = 0; at < text.length; ) {
    if (at >= step) {
      step = at + STEP_CHARACTERS
      yield
    }
    const start = startOf(book, text, at)
    const script = scriptOf(text, at, start)
    const isInWord = start === 'letter' && word === script
    const taken = start === null || isInWord ? null : take(text, at, rulesAt(dispatch, text, at, start))
    if (taken === null) {
      word = script
      at++
      continue
    }
    const end = at + taken.length
    const begin = points(at)
    const gap = text.slice(copied, at)
    const before = gap === '' ? (spoken.at(-1) ?? '') : gap
    spoken.push(between(book, gap, tokens.length), spaced(book, start, before.slice(-2), taken.spoken, text, end))
    tokens.push({ start: begin, length: points(end) - begin, kind: taken.kind, spoken: taken.spoken })
    at = end
    copied = end
    word = null
  }
  return { spoken: spoken.join('') + between(book, text.slice(copied), tokens.length), tokens }
}

/** Reads a whole text by the rules of some kinds; null if none of them takes all of it. */
export function readWhole(
  written: string,
  { before, after }: Around,
  book: RuleBook,
  kinds: readonly TokenKind[],
): string | null {
  const around = [before.slice(-AROUND_CHARACTERS), after.slice(0, AROUND_CHARACTERS)] as const
  const whole = `${around[0]}${written}${around[1]}`
  const text = book.fold?.(whole) ?? whole
  const start = startOf(book, text, around[0].length)
  for (const rule of book.rules) {
    if (rule.starts !== start || !kinds.includes(rule.kind)) continue
    const taken = take(text, around[0].length, [rule])
    if (taken?.length === written.length) return taken.spoken
  }
  return null
}

/** Counts the code points before an index, which may only grow from call to call. */
function pointCounter(text: string): (index: number) => number {
  let points = 0
  let counted = 0
  return (index) => {
    for (; counted < index; counted++) if ((text.charCodeAt(counted) & 0xfc00) !== 0xdc00) points++
    return points
  }
}

/** Null for spaces and the unspaced letters of a language: no rule begins there. */
function startOf({ unspaced }: RuleBook, text: string, at: number): Start | null {
  const code = text.charCodeAt(at)
  if (code <= 0x20) return null
  if (code >= 0x30 && code <= 0x39) return 'digit'
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)) return 'letter'
  if (code < 0x80) return 'symbol'
  if (PAUSES.includes(text[at] as string)) return null
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  if (LETTER_OR_MARK.test(character))
    return unspaced !== undefined && code > 0x2e80 && unspaced.test(character) ? null : 'letter'
  return DIGIT.test(character) ? 'digit' : 'symbol'
}

type Script = 'alphabet' | 'hangul'

/** A word ends between Korean and other letters: "는CEO". */
function scriptOf(text: string, at: number, start: Start | null): Script | null {
  if (start === 'digit') return 'alphabet'
  if (start !== 'letter') return null
  return HANGUL.test(text[at] as string) ? 'hangul' : 'alphabet'
}

function dispatchOf(book: RuleBook): Dispatch {
  const known = dispatches.get(book)
  if (known !== undefined) return known
  const of = (wanted: Start) => book.rules.filter(({ starts }) => starts === wanted)
  const byStart = { digit: of('digit'), letter: of('letter'), symbol: of('symbol') }
  const dispatch: Dispatch = { table: new Map(), byStart }
  dispatches.set(book, dispatch)
  return dispatch
}

function rulesAt(dispatch: Dispatch, text: string, at: number, start: Start): readonly Rule[] {
  const { rules, byBeginning } = candidatesAt(dispatch, text, at, start)
  if (byBeginning === null) return rules
  const beginning = text.slice(at, at + LONGEST_PREFIX)
  const known = byBeginning.get(beginning)
  if (known !== undefined) return known
  const fitting = rules.filter(({ prefixes }) => prefixes === undefined || isAmong(prefixes, prefixesAt(beginning, 0)))
  if (byBeginning.size === MOST_BEGINNINGS) byBeginning.clear()
  byBeginning.set(beginning, fitting)
  return fitting
}

function candidatesAt({ table, byStart }: Dispatch, text: string, at: number, start: Start): Candidates {
  const code = start === 'letter' ? Math.min(text.charCodeAt(at), LARGE_ALPHABETS) : text.charCodeAt(at)
  const follower = followerAt(text, at, start)
  const isAlone = start === 'letter' && !isAsciiLetter(text.charCodeAt(at + 1))
  const key = ((follower + 1) * 2 + (isAlone ? 1 : 0)) * 0x10000 + code
  const known = table.get(key)
  if (known !== undefined) return known
  const character = text[at] as string
  const follows = start === 'letter' ? mayFollowLetters : mayFollow
  const rules = byStart[start].filter(
    ({ first, pattern, isAlone: needsAlone }) =>
      (isAlone || needsAlone !== true) &&
      (first?.includes(character) ?? (code === LARGE_ALPHABETS || mayStart(pattern, code))) &&
      (follower === NO_FOLLOWER || follows(pattern, follower)),
  )
  const byBeginning = rules.some(({ prefixes }) => prefixes !== undefined) ? new Map<string, readonly Rule[]>() : null
  const candidates = { rules, byBeginning }
  table.set(key, candidates)
  return candidates
}

/** The letters of ASCII behind digits and spaces; empty if there are none. */
function wordBehind(text: string, at: number): string {
  const most = at + AROUND_CHARACTERS
  let start = at
  while (start < most && isDigitOrSpace(text.charCodeAt(start))) start++
  let end = start
  while (end < most && isAsciiLetter(text.charCodeAt(end))) end++
  return text.slice(start, end)
}

/** The code behind digits and spaces, or behind a word in ASCII, 0 at the end of the text. */
function followerAt(text: string, at: number, start: Start): number {
  if (start === 'symbol') return NO_FOLLOWER
  const isSkipped = start === 'digit' ? isDigitOrSpace : isAsciiLetter
  for (let next = at; next < at + AROUND_CHARACTERS; next++) {
    if (next >= text.length) return 0
    const code = text.charCodeAt(next)
    if (!isSkipped(code)) return start === 'letter' && next === at ? NO_FOLLOWER : code
  }
  return NO_FOLLOWER
}

const isDigitOrSpace = (code: number): boolean => (code >= 0x30 && code <= 0x39) || code === 0x20 || code === 0xa0
const isAsciiLetter = (code: number): boolean => (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

function take(
  text: string,
  at: number,
  rules: readonly Rule[],
): { kind: TokenKind; spoken: string; length: number } | null {
  const isNear = nearness(text, at)
  for (const rule of rules) {
    if (!isNear(rule)) continue
    const { kind, read } = rule
    const { regexp } = rule.pattern
    regexp.lastIndex = at
    const match = regexp.exec(text)
    if (match === null) continue
    const end = at + match[0].length
    const around = {
      before: text.slice(Math.max(0, at - AROUND_CHARACTERS), at),
      after: text.slice(end, end + AROUND_CHARACTERS),
    }
    const answer = read(match.groups ?? {}, around, match[0])
    if (answer === null) continue
    const { spoken, length } = typeof answer === 'string' ? { spoken: answer, length: match[0].length } : answer
    if (length > 0) return { kind, spoken, length }
  }
  return null
}

/** Tells whether what a rule needs is at a place, beside its beginning. What it reads there, it reads once. */
function nearness(text: string, at: number): (rule: Rule) => boolean {
  let end: number | undefined
  let behindNumber: readonly string[] | undefined
  let word: string | undefined
  const isPause = isPauseAt(text, at)
  return ({ behind, wordsBehind, isNumber }) => {
    if (isPause && isNumber === true) return false
    if (behind !== undefined) {
      end ??= numberEnd(text, at)
      behindNumber ??= prefixesAt(text, end)
      if (end < at + LONGEST_NUMBER && !isAmong(behind, behindNumber)) return false
    }
    if (wordsBehind === undefined) return true
    word ??= wordBehind(text, at)
    return word === '' || wordsBehind.has(word)
  }
}

/** A period or comma without a digit behind it. */
function isPauseAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (code === 0x2e || code === 0x2c) && !DIGIT.test(text[at + 1] ?? '')
}

const prefixesAt = (text: string, at: number): readonly string[] =>
  Array.from({ length: LONGEST_PREFIX }, (_, index) => text.slice(at, at + index + 1))

const isAmong = (known: ReadonlySet<string>, prefixes: readonly string[]): boolean => {
  for (const prefix of prefixes) if (known.has(prefix)) return true
  return false
}

/** The end of a number with its sign, its marks and the spaces behind it. Longer ones are tried by each rule. */
function numberEnd(text: string, at: number): number {
  const most = Math.min(text.length, at + LONGEST_NUMBER)
  let end = SIGNS.includes(text[at] as string) ? at + 1 : at
  while (end < most && NUMBER_PARTS.includes(text[end] as string)) end++
  return end
}

const JOINS_LEFT = /(?:[\p{L}\p{N},;:!?)\]…]|\.\.)$/u
const JOINS_RIGHT = /^[\p{L}\p{N}]/u

/** "1!hello": a word behind a spoken number and a mark gets its space. */
const between = ({ spaces }: RuleBook, text: string, tokens: number): string =>
  spaces !== undefined || tokens === 0 ? text : text.replace(/^[!?,;)]+(?=\p{L})/u, (marks) => `${marks} `)

/** Words do not run into the text before and after them, if the language has spaces. */
function spaced(
  { spaces }: RuleBook,
  start: Start | null,
  before: string,
  words: string,
  text: string,
  end: number,
): string {
  if (spaces === 'none' || (spaces === 'before numbers' && start !== 'digit')) return words
  const left = JOINS_LEFT.test(before) && JOINS_RIGHT.test(words) ? ' ' : ''
  const next = end < text.length ? String.fromCodePoint(text.codePointAt(end) ?? 0) : ''
  const isJoined = spaces === undefined && JOINS_RIGHT.test(next) && /[\p{L}\p{N}]$/u.test(words)
  return `${left}${words}${isJoined ? ' ' : ''}`
}
