/** What is blocked where the operator neither runs a moderation server nor sets COMPANION_BLOCKED_TERMS. */
const BUILT_IN_TERMS: readonly string[] = [
  'child porn',
  'child pornography',
  'child sexual abuse',
  'csam',
  'sex with a child',
  'sex with a minor',
  'rape a child',
  'kill yourself',
  'how to make a bomb',
  'how to build a bomb',
  'how to make a pipe bomb',
  'how to make nerve gas',
  'how to make sarin',
  'how to kill myself',
  'how to commit suicide',
  'ethnic cleansing is good',
]

/** Scripts that put no space between words: a term is found there wherever it stands. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const NOT_INSIDE_A_WORD = { before: '(?<![\\p{L}\\p{N}\\p{M}])', after: '(?![\\p{L}\\p{N}\\p{M}])' }

/**
 * Compiles a list of terms (null: the built-in one) into a test of texts. Both sides are brought to one form first: Unicode NFKC
 * (full-width and styled letters become plain ones), lower case, no invisible characters, white space of any kind and length as one
 * space. A term is found as whole words only, so that "class" is not found for "ass"; letters of other scripts that merely look alike
 * are not seen through.
 */
export function compileBlockedTerms(terms: readonly string[] | null): (text: string) => boolean {
  const patterns = (terms ?? BUILT_IN_TERMS)
    .map(toOneForm)
    .filter((term) => term !== '')
    .map(toPattern)
  if (patterns.length === 0) return () => false
  const any = new RegExp(patterns.join('|'), 'u')
  return (text) => any.test(toOneForm(text))
}

/** Twice lower-cased: a few letters only have their plain form after the first. */
const toOneForm = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\s\p{Z}\p{Cc}]+/gu, ' ')
    .trim()

function toPattern(term: string): string {
  const characters = [...term]
  const before = isWordCharacter(characters[0]) ? NOT_INSIDE_A_WORD.before : ''
  const after = isWordCharacter(characters.at(-1)) ? NOT_INSIDE_A_WORD.after : ''
  return before + term.replace(/[.*+?^${}()|[\]\\/-]/g, (sign) => (sign === '-' ? '\\x2d' : `\\${sign}`)) + after
}

const isWordCharacter = (character = ''): boolean => /[\p{L}\p{N}\p{M}]/u.test(character) && !UNSPACED.test(character)
