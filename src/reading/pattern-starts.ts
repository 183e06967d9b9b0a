/** First and last code of characters. */
type Range = readonly [from: number, to: number]

/** Characters that may come next in a match. Null: any, or none. */
type Next = readonly Range[] | null

/** A regular expression, or the pattern of one. */
type Source = Pick<RegExp, 'source' | 'flags'>

const ANY: Range = [0, 0xffff]
/** The letters and numerals of `\p{L}` and its like, and some characters more. */
const NAMED: Readonly<Record<string, readonly Range[]>> = {
  L: [
    [0x41, 0x5a],
    [0x61, 0x7a],
    [0xaa, 0xffff],
  ],
  Lu: [
    [0x41, 0x5a],
    [0xc0, 0x52f],
  ],
  Ll: [
    [0x61, 0x7a],
    [0xdf, 0x52f],
  ],
  N: [
    [0x30, 0x39],
    [0xb2, 0xbe],
    [0x2070, 0x24ff],
  ],
}
/** Seen at once, as most patterns of numbers begin. */
const ANY_DIGIT_FIRST = /^(?:\((?:\?:|\?<\w+>))*\\d/
/** Characters that may begin or end a group, a class or an alternative. */
const STRUCTURE = /[\\[\](|)]/g

/** If a match of the pattern may begin with a character of this code. */
export const mayStart = (pattern: Source, code: number): boolean =>
  (code >= 0x30 && code <= 0x39 && ANY_DIGIT_FIRST.test(pattern.source)) ||
  isIn(nextOf(pattern, starts, isNothing), code)

/** If a match of the pattern, which begins with digits, may go on behind digits and spaces with a character of this code. */
export const mayFollow = (pattern: Source, code: number): boolean => isIn(nextOf(pattern, followers, isNeutral), code)

/** If a match of the pattern, which begins with a letter, may go on behind letters of ASCII with a character of this code. */
export const mayFollowLetters = (pattern: Source, code: number): boolean =>
  isIn(nextOf(pattern, letterFollowers, isLetter), code)

const starts = new WeakMap<Source, Next>()
const followers = new WeakMap<Source, Next>()
const letterFollowers = new WeakMap<Source, Next>()

const isIn = (next: Next, code: number): boolean =>
  next === null || next.some(([from, to]) => code >= from && code <= to)

/** It knows the syntax that rules are written in; where it does not know better, it answers more characters than are possible. */
function nextOf(pattern: Source, computed: WeakMap<Source, Next>, isSkipped: (range: Range) => boolean): Next {
  const known = computed.get(pattern)
  if (known !== undefined) return known
  const { source, flags } = pattern
  const next = flags.includes('i') ? null : new Reader(source, isSkipped).next()
  computed.set(pattern, next)
  return next
}

/** It reads a pattern as far as its first characters go. */
class Reader {
  readonly #source: string
  readonly #isSkipped: (range: Range) => boolean
  readonly #first: Range[] = []
  #at = 0

  /** @param isSkipped which characters do not count */
  constructor(source: string, isSkipped: (range: Range) => boolean) {
    this.#source = source
    this.#isSkipped = isSkipped
  }

  next(): Next {
    return this.#alternatives() || this.#first.includes(ANY) ? null : this.#first
  }

  /** Adds to the characters that may come first. Answers if nothing, or only what does not count, may be all of it, as all below do. */
  #alternatives(): boolean {
    let mayEnd = false
    do {
      if (this.#sequence()) mayEnd = true
      else this.#skip()
    } while (this.#takes('|'))
    return mayEnd
  }

  #sequence(): boolean {
    while (!this.#isAtEnd()) if (!this.#quantified()) return false
    return true
  }

  #isAtEnd(): boolean {
    const character = this.#source[this.#at]
    return character === undefined || character === '|' || character === ')'
  }

  /** To the end of the alternative. */
  #skip(): void {
    let depth = 0
    let isInClass = false
    for (;;) {
      STRUCTURE.lastIndex = this.#at
      const character = STRUCTURE.exec(this.#source)?.[0]
      this.#at = character === undefined ? this.#source.length : STRUCTURE.lastIndex - 1
      if (character === undefined || (depth === 0 && !isInClass && '|)'.includes(character))) return
      if (character === '\\') this.#at++
      else if (isInClass) isInClass = character !== ']'
      else if (character === '[') isInClass = true
      else if (character === '(') depth++
      else if (character === ')') depth--
      this.#at++
    }
  }

  #quantified(): boolean {
    const mayEnd = this.#one()
    const mayBeMissing = this.#takes('?') || this.#takes('*')
    if (!mayBeMissing && !this.#takes('+') && !this.#takes('{')) return mayEnd
    const isCounted = this.#source[this.#at - 1] === '{'
    const mayBeNone = mayBeMissing || (isCounted && this.#source[this.#at] === '0')
    if (isCounted) this.#at = this.#source.indexOf('}', this.#at) + 1
    this.#takes('?')
    return mayBeNone || mayEnd
  }

  #one(): boolean {
    if (this.#takes('(')) return this.#group()
    if (this.#takes('[')) return this.#class()
    if (this.#takes('.')) return this.#add(ANY)
    if (this.#takes('^') || this.#takes('$')) return true
    const named = this.#namedSet()
    return named === null ? this.#add(this.#character()) : this.#addAll(named)
  }

  #group(): boolean {
    let looks = false
    if (this.#takes('?') && !this.#takes(':')) {
      const isBehind = this.#takes('<')
      looks = this.#takes('=') || this.#takes('!')
      if (isBehind && !looks) this.#at = this.#source.indexOf('>', this.#at) + 1
    }
    const before = this.#first.length
    const mayEnd = this.#alternatives()
    this.#at++
    if (looks) this.#first.length = before
    return looks || mayEnd
  }

  #class(): boolean {
    const isNegated = this.#takes('^')
    const before = this.#first.length
    let mayEnd = false
    while (!this.#takes(']')) {
      const named = this.#namedSet()
      mayEnd = (named === null ? this.#add(this.#range()) : this.#addAll(named)) || mayEnd
    }
    if (!isNegated) return mayEnd
    this.#first.length = before
    return this.#add(ANY)
  }

  /** A character of a class, or two with a hyphen between them. */
  #range(): Range {
    const range = this.#character()
    if (range[0] !== range[1] || this.#source[this.#at] !== '-' || this.#source[this.#at + 1] === ']') return range
    this.#at++
    return [range[0], this.#character()[1]]
  }

  #add(range: Range): boolean {
    this.#first.push(range)
    return this.#isSkipped(range)
  }

  #addAll(ranges: readonly Range[]): boolean {
    let mayEnd = false
    for (const range of ranges) mayEnd = this.#add(range) || mayEnd
    return mayEnd
  }

  /** `\p{L}`. */
  #namedSet(): readonly Range[] | null {
    if (this.#source[this.#at] !== '\\' || this.#source[this.#at + 1] !== 'p') return null
    const end = this.#source.indexOf('}', this.#at)
    const ranges = NAMED[this.#source.slice(this.#at + 3, end)]
    if (ranges === undefined) return null
    this.#at = end + 1
    return ranges
  }

  /** A character, or the class or place that an escape stands for. */
  #character(): Range {
    if (!this.#takes('\\')) return rangeOf(this.#source.charCodeAt(this.#at++))
    const escaped = this.#source[this.#at++] as string
    if (escaped === 'd') return [0x30, 0x39]
    if (escaped === 'u' && this.#source[this.#at] !== '{') {
      this.#at += 4
      return rangeOf(Number.parseInt(this.#source.slice(this.#at - 4, this.#at), 16))
    }
    if (escaped === 'k') this.#at = this.#source.indexOf('>', this.#at) + 1
    else if (this.#source[this.#at] === '{' && 'upP'.includes(escaped))
      this.#at = this.#source.indexOf('}', this.#at) + 1
    return (escaped >= 'a' && escaped <= 'z') || (escaped >= 'A' && escaped <= 'Z')
      ? ANY
      : rangeOf(escaped.charCodeAt(0))
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false
    this.#at++
    return true
  }
}

const rangeOf = (code: number): Range => [code, code]

const isNothing = (): boolean => false

/** Holds a digit or a space. */
const isNeutral = ([from, to]: Range): boolean =>
  (from <= 0x39 && to >= 0x30) || (from <= 0x20 && to >= 0x20) || (from <= 0xa0 && to >= 0xa0)

const isLetter = ([from, to]: Range): boolean => (from <= 0x5a && to >= 0x41) || (from <= 0x7a && to >= 0x61)
