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

/** Scripts without spaces; a term matches anywhere in them. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u
const NOT_INSIDE_A_WORD = { before: '(?<![\\p{L}\\p{N}\\p{M}])', after: '(?![\\p{L}\\p{N}\\p{M}])' }

/** Compares terms (null: the built-in list) in NFKC and lower case, as whole words. */
export function compileBlockedTerms(terms: readonly string[] | null): (text: string) => boolean {
  const patterns = (terms ?? BUILT_IN_TERMS)
    .map(toOneForm)
    .filter((term) => term !== '')
    .map(toPattern)
  if (patterns.length === 0) return () => false
  const any = new RegExp(patterns.join('|'), 'u')
  return (text) => any.test(toOneForm(text))
}

/** Some letters have their plain form only after the first pass. */
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
