/** First and last code of characters. */
type Range = readonly [from: number, to: number]

/** Characters that may come next in a match. Null: any, or none. */
type Next = readonly Range[] | null

interface Part {
  /** Characters that may come first in it, behind those that do not count. */
  readonly first: readonly Range[]
  /** If nothing, or only what does not count, may be all of it. */
  readonly mayEnd: boolean
}

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
/** Where a group, a class or an alternative may begin or end. */
const STRUCTURE = /[\\[\](|)]/g
const NOTHING: Part = { first: [], mayEnd: true }

/** If a match of the pattern may begin with a character of this code. */
export const mayStart = (pattern: Source, code: number): boolean => isIn(nextOf(pattern, starts, isNothing), code)

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
  const { first, mayEnd } = flags.includes('i') ? NOTHING : new Reader(source, isSkipped).alternatives()
  const next = mayEnd || first.includes(ANY) ? null : first
  computed.set(pattern, next)
  return next
}

/** It reads a pattern as far as its first characters go. */
class Reader {
  readonly #source: string
  readonly #isSkipped: (range: Range) => boolean
  #at = 0

  /** @param isSkipped which characters do not count */
  constructor(source: string, isSkipped: (range: Range) => boolean) {
    this.#source = source
    this.#isSkipped = isSkipped
  }

  alternatives(): Part {
    const first: Range[] = []
    let mayEnd = false
    do {
      const part = this.#sequence()
      if (!part.mayEnd) this.#skip()
      for (const range of part.first) first.push(range)
      mayEnd ||= part.mayEnd
    } while (this.#takes('|'))
    return { first, mayEnd }
  }

  #sequence(): Part {
    const first: Range[] = []
    let mayEnd = true
    while (mayEnd && !this.#isAtEnd()) {
      const part = this.#quantified()
      for (const range of part.first) first.push(range)
      mayEnd = part.mayEnd
    }
    return { first, mayEnd }
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

  #quantified(): Part {
    const part = this.#one()
    const mayBeMissing = this.#takes('?') || this.#takes('*')
    if (!mayBeMissing && !this.#takes('+') && !this.#takes('{')) return part
    const isCounted = this.#source[this.#at - 1] === '{'
    const mayBeNone = mayBeMissing || (isCounted && this.#source[this.#at] === '0')
    if (isCounted) this.#at = this.#source.indexOf('}', this.#at) + 1
    this.#takes('?')
    return mayBeNone ? { first: part.first, mayEnd: true } : part
  }

  #one(): Part {
    if (this.#takes('(')) return this.#group()
    if (this.#takes('[')) return this.#class()
    if (this.#takes('.')) return this.#partOf([ANY])
    if (this.#takes('^') || this.#takes('$')) return NOTHING
    return this.#partOf(this.#namedSet() ?? [this.#character()])
  }

  #group(): Part {
    let looks = false
    if (this.#takes('?') && !this.#takes(':')) {
      const isBehind = this.#takes('<')
      looks = this.#takes('=') || this.#takes('!')
      if (isBehind && !looks) this.#at = this.#source.indexOf('>', this.#at) + 1
    }
    const part = this.alternatives()
    this.#at++
    return looks ? NOTHING : part
  }

  #class(): Part {
    const isNegated = this.#takes('^')
    const ranges: Range[] = []
    while (!this.#takes(']')) {
      const named = this.#namedSet()
      if (named !== null) {
        ranges.push(...named)
        continue
      }
      const range = this.#character()
      const isOne = range[0] === range[1]
      const isStart = isOne && this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']'
      if (isStart) this.#at++
      ranges.push(isStart ? [range[0], this.#character()[1]] : range)
    }
    return this.#partOf(isNegated ? [ANY] : ranges)
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

  #partOf(first: readonly Range[]): Part {
    return { first, mayEnd: first.some(this.#isSkipped) }
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
