import { rule, rulesAt } from './rules.ts'
import type { Read, Rule } from './scan.ts'

/** A language's way to say addresses of the Internet, file names, handles and hashtags. */
interface ElectronicWords {
  readonly marks: Readonly<Record<string, string>>
  digits(number: string): string
  /**
   * Says letters between marks and digits.
   * @param place the letters are a word of a hashtag, end a host name or a file name (`com`, `jpg`), begin an address (`https`, `www`), or are another part of it
   * @param isFile the letters end the name of a file
   */
  letters(letters: string, place: 'word' | 'end' | 'start' | 'other', isFile?: boolean): string
}

const TRAILING = /[.,;:!?)\]}'"”’»]+$/
const PIECE = /\p{L}+|\d+|[^\p{L}\d]/gu
const LABEL = String.raw`[\p{L}\d](?:[\p{L}\d_&-]{0,61}[\p{L}\d])?`
const PATH = String.raw`(?:[/?#][!#-&(-;=?-~\p{L}]{0,1000})?`
const ASCII_LABEL = String.raw`[a-z\d](?:[a-z\d_-]{0,61}[a-z\d])?`
/** A word behind a period without a space is a missing space, not a domain: "the end.and then". */
const NO_DOMAINS =
  /\.(?:a|an|and|are|as|at|but|for|he|his|i|if|is|it|no|not|of|on|or|she|so|that|the|then|they|this|to|we|with|you)$/i
/** "sig.ra", "v.le": Italian abbreviations. */
const ABBREVIATION =
  /^(?:sig|dott|prof|d|avv|gent|ill|spett|on|f|v|p|c|l|n|egr|cucch)\.(?:ra|na|ri|ssa|ti|mo|ma|mi|me|le|lli|zza|za|so|go|ro|no|ni)$/
/** "p.ex.", "w.r.t.": letters that all have a period are no address, but "t.co" is one. */
const LETTERS = /^(?!t\.co$|x\.(?:ai|com)$)\p{Ll}\.\p{Ll}{1,2}(?:\.\p{Ll}{1,2}){0,3}$/u
/** "1.er", "2.do": Spanish ordinal numbers. */
const ORDINAL = /^\d+\.(?:er|do|ro|to|mo|vo|no|ra|da|ta|ma|va|na)$/

export const electronicRules = (words: ElectronicWords): Rule[] => [...addressRules(words), ...handleRules(words)]

function addressRules(words: ElectronicWords): Rule[] {
  const read: Read = (_groups, _around, match) => {
    const address = match.replace(TRAILING, '')
    return address === '' ? null : { spoken: say(words, address), length: address.length }
  }
  return [
    {
      ...rule(
        'electronic',
        'letter',
        String.raw`(?:[hH][tT]{2}[pP][sS]?|[fF][tT][pP]|[fF]ile|[mM]ailto|ssh|wss?):\/{0,3}[!#-&(-;=?-~\p{L}]{2,2000}`,
        read,
      ),
      first: 'hfmswHFMSW',
    },
    ...rulesAt(
      ['letter', 'digit'],
      'electronic',
      String.raw`[\p{L}\d][\p{L}\d._%+&!-]{0,63}@${LABEL}(?:\.${LABEL}){1,6}${PATH}`,
      read,
    ),
    {
      ...rule('electronic', 'letter', String.raw`[wW]{3}\.${LABEL}(?:\.${LABEL}){1,6}(?::\d{1,5})?${PATH}`, read),
      first: 'wW',
    },
    ...rulesAt(
      ['letter', 'digit'],
      'electronic',
      String.raw`(?=[a-z\d_-]{0,63}\.)(?=[\d.-]{0,60}[a-z])${ASCII_LABEL}(?:\.${ASCII_LABEL}){0,5}\.[a-z]{2,10}(?![\p{L}\d])(?::\d{1,5}(?!\d))?${PATH}`,
      (groups, around, match) => {
        const address = match.replace(TRAILING, '')
        const isShort = around.after.startsWith('.') && LETTERS.test(match)
        return isShort || [NO_DOMAINS, ABBREVIATION, ORDINAL].some((pattern) => pattern.test(address))
          ? null
          : read(groups, around, match)
      },
    ),
  ]
}

function handleRules(words: ElectronicWords): Rule[] {
  const handle: Read = (_groups, _around, match) => {
    const name = match.slice(1).replace(TRAILING, '')
    return { spoken: `${words.marks['@']} ${say(words, inWords(name))}`, length: name.length + 1 }
  }
  return [
    rule('electronic', 'symbol', String.raw`@(?=[\p{L}_])[\p{L}\d_.]{1,40}`, handle),
    rule(
      'electronic',
      'symbol',
      String.raw`#(?=[\p{L}_])[\p{L}\d_]{1,60}`,
      (_groups, _around, match) => `${words.marks['#']} ${sayTag(words, inWords(match.slice(1)))}`,
    ),
  ]
}

/** A hashtag's words begin with capitals. */
const inWords = (name: string): string => name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')

/** The words of a hashtag, which nobody spells. */
const sayTag = (words: ElectronicWords, tag: string): string =>
  (tag.match(PIECE) ?? [])
    .map((piece) => (/^\d/.test(piece) ? words.digits(piece) : piece === '_' ? ' ' : words.letters(piece, 'word')))
    .join(' ')
    .replaceAll(/ {2,}/g, ' ')

function say(words: ElectronicWords, address: string): string {
  const pieces = address.match(PIECE) ?? []
  const spoken = pieces.map((piece, index) => {
    if (/^\d+$/.test(piece)) return words.digits(piece)
    if (!/^\p{L}/u.test(piece)) return words.marks[piece] ?? piece
    const [before, after = ''] = [pieces[index - 1], pieces[index + 1]]
    if (before === '.' && /^[/:?#-]?$/.test(after)) return words.letters(piece, 'end', isFile(pieces, index))
    return words.letters(piece, index === 0 ? 'start' : 'other')
  })
  return spoken.join(' ').replaceAll(/ {2,}/g, ' ').trim()
}

/** "a.b/like.py" and "like.py", but "shop.com.py". */
const isFile = (pieces: readonly string[], index: number): boolean =>
  pieces.slice(1, index).some((piece, before) => piece === '/' && /[^/:]/.test(`${pieces[before]}`)) ||
  pieces.filter((piece) => piece === '.').length === 1
