/** First and last code of characters. */
type Range = readonly [from: number, to: number]

/** The characters that may follow the digits and spaces with which a match begins. Null: any, or none. */
export type Followers = readonly Range[] | null

interface Part {
  /** Characters other than digits and spaces that may come first in it, behind those. */
  readonly first: readonly Range[]
  /** If digits and spaces, or nothing at all, may be all of it. */
  readonly mayEnd: boolean
}

const ANY: readonly Range[] = [[0, 0xffff]]
const NOTHING: Part = { first: [], mayEnd: true }
const NEUTRAL = /[\d \u00a0]/

/**
 * Computes from a pattern which characters may follow the digits and spaces at the start of its matches, so that a rule is tried only before those.
 * It knows the syntax that rules are written in; where it does not know better, it answers more characters than are possible.
 */
export function followersOf(pattern: RegExp): Followers {
  const known = computed.get(pattern)
  if (known !== undefined) return known
  const { first, mayEnd } = pattern.flags.includes('i') ? NOTHING : new Reader(pattern.source).alternatives()
  const followers = mayEnd || first.includes(ANY[0] as Range) ? null : first
  computed.set(pattern, followers)
  return followers
}

const computed = new WeakMap<RegExp, Followers>()

export const isFollower = (followers: Followers, code: number): boolean =>
  followers === null || followers.some(([from, to]) => code >= from && code <= to)

class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  alternatives(): Part {
    const parts = [this.#sequence()]
    while (this.#takes('|')) parts.push(this.#sequence())
    return { first: parts.flatMap(({ first }) => first), mayEnd: parts.some(({ mayEnd }) => mayEnd) }
  }

  #sequence(): Part {
    const first: Range[] = []
    let mayEnd = true
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] as string)) {
      const part = this.#quantified()
      if (mayEnd) first.push(...part.first)
      mayEnd &&= part.mayEnd
    }
    return { first, mayEnd }
  }

  #quantified(): Part {
    const part = this.#one()
    const quantifier = this.#match(/[?*]\??|\+\??|\{(\d+)(?:,\d*)?\}\??/y)
    if (quantifier === null) return part
    return /^[?*]/.test(quantifier[0]) || quantifier[1] === '0' ? { ...part, mayEnd: true } : part
  }

  #one(): Part {
    if (this.#takes('(')) return this.#group()
    if (this.#takes('[')) return this.#class()
    if (this.#takes('.')) return { first: ANY, mayEnd: true }
    if (this.#takes('^') || this.#takes('$')) return NOTHING
    return partOf([this.#character()])
  }

  #group(): Part {
    const kind = this.#match(/\?(?:<\w+>|:|<?[=!])/y)?.[0] ?? ''
    const part = this.alternatives()
    this.#at++
    return /[=!]$/.test(kind) ? NOTHING : part
  }

  #class(): Part {
    if (this.#takes('^')) {
      while (!this.#takes(']')) this.#character()
      return { first: ANY, mayEnd: true }
    }
    const ranges: Range[] = []
    while (!this.#takes(']')) {
      const [from, to] = this.#character()
      const isRange = from === to && this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']'
      if (isRange) this.#at++
      ranges.push(isRange ? [from, this.#character()[1]] : [from, to])
    }
    return partOf(ranges)
  }

  /** A character, or the class or place that an escape stands for. */
  #character(): Range {
    const character = this.#source[this.#at++] as string
    if (character !== '\\') return [character.charCodeAt(0), character.charCodeAt(0)]
    const written = this.#match(/u\{[\da-f]+\}|u[\da-f]{4}|[pP]\{\w+\}|k<\w+>|./isy)?.[0] ?? ''
    if (written === 'd') return [0x30, 0x39]
    if (/^u[\da-f]{4}$/i.test(written))
      return [Number.parseInt(written.slice(1), 16), Number.parseInt(written.slice(1), 16)]
    if (/^\w/.test(written)) return ANY[0] as Range
    return [written.charCodeAt(0), written.charCodeAt(0)]
  }

  /** @param pattern sticky */
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#source)
    this.#at += match?.[0].length ?? 0
    return match
  }

  #takes(character: string): boolean {
    if (this.#source[this.#at] !== character) return false
    this.#at++
    return true
  }
}

function partOf(ranges: readonly Range[]): Part {
  if (ranges.includes(ANY[0] as Range)) return { first: ANY, mayEnd: true }
  const mayEnd = ranges.some(([from, to]) => NEUTRALS.some((code) => code >= from && code <= to))
  return { first: ranges.filter(([from, to]) => from !== to || !NEUTRAL.test(String.fromCharCode(from))), mayEnd }
}

const NEUTRALS = Array.from('0123456789 \u00a0', (character) => character.charCodeAt(0))
