/** From where to where the scripts lie that have two cases. */
const CASED = [
  [0, 0x2d_ff],
  [0xa6_40, 0xab_ff],
  [0xfb_00, 0xff_5a],
  [0x1_04_00, 0x1_18_df],
  [0x1_e9_00, 0x1_e9_43],
] as const
const PUNCTUATION = /^[!-/:-@[-`{-~]$/
const APOSTROPHES = /[‘’ʼ＇]/gu
const FIRST_LETTERS = /(?<![\p{L}\p{M}])\p{L}/gu
/** `ﬃ` is `FFI`. */
const LONGEST = 3

/** Names the letters of one word alike: `ß` and `ss` as `SS`, `ς` and `σ` as `Σ`, the dotted and the dotless i as `I`. */
const folded = (text: string): string => text.replaceAll('İ', 'I').replace(APOSTROPHES, "'").toLowerCase().toUpperCase()

/** Each folded text that single other characters stand for, with those. */
let spellings: ReadonlyMap<string, string> | undefined

function spellingsOf(text: string): string {
  spellings ??= readSpellings()
  return spellings.get(text) ?? ''
}

function readSpellings(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [first, last] of CASED)
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code)
      const name = folded(character)
      if (name !== character) found.set(name, (found.get(name) ?? '') + character)
    }
  return found
}

/**
 * A regular expression of PostgreSQL that finds a word in either case, in composed and in decomposed characters. It names the letters,
 * because the case of a database may know ASCII alone.
 */
export function patternOf(word: string): string {
  const forms = [word.normalize('NFC'), word.normalize('NFD')].map((form) => patternOfLetters([...folded(form)]))
  const patterns = [...new Set(forms)]
  return patterns.length === 1 ? patterns.join('') : `(?:${patterns.join('|')})`
}

function patternOfLetters(letters: readonly string[]): string {
  let pattern = ''
  for (let at = 0, length = 1; at < letters.length; at += length) {
    length = Math.min(LONGEST, letters.length - at)
    while (length > 1 && spellingsOf(letters.slice(at, at + length).join('')) === '') length--
    pattern += patternOfSome(letters.slice(at, at + length))
  }
  return pattern
}

function patternOfSome(letters: readonly string[]): string {
  const each = letters.map(patternOfOne).join('')
  return letters.length === 1 ? each : `(?:${each}|[${spellingsOf(letters.join(''))}])`
}

function patternOfOne(letter: string): string {
  const others = spellingsOf(letter)
  if (others === '') return PUNCTUATION.test(letter) ? `\\${letter}` : letter
  return `[${letter}${others}]`
}

/** Prisma passes the wildcards of LIKE on, so they are escaped. */
export const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&')

/** Finds rows by a part of their `name`: Prisma leaves the case to the database, which may know that of ASCII alone. */
export function namesLike(text: string) {
  const lower = text.normalize('NFC').toLowerCase()
  const capitals = lower.replace(FIRST_LETTERS, (letter) => letter.toUpperCase())
  const forms = new Set([text, text.normalize('NFC'), lower, lower.toUpperCase(), capitals])
  return [...forms].map((form) => ({ name: { contains: literal(form), mode: 'insensitive' as const } }))
}
