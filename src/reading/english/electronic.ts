import { electronicRules } from '../electronic.ts'
import type { Rule } from '../scan.ts'
import { spokenForms, wordsOf } from '../table.ts'
import { digits } from './numbers.ts'

/** Top-level domains of two or three letters that are said as a word; others are spelled. */
const SAID_AS_WORDS: ReadonlySet<string> = new Set(
  wordsOf('com net gov biz edu org mil int dev app pro exe zip doc bin log tar'),
)
const SPELLED: ReadonlySet<string> = new Set(
  wordsOf(
    'www html htm css js xml php pdf csv svg gif mp url api faq usa uk http https ftp txt sql rss cgi nvidia dgx cuda ssh tsx jsx yml xls xlsx',
  ),
)
const FILE_ENDS = spokenForms(`
  jpg | jpeg
  mpg | mpeg
  docx | doc X
  json | json
`)
export const MARKS = spokenForms(`
  . | dot
  / | slash
  : | colon
  - | dash
  _ | underscore
  @ | at
  ? | question mark
  = | equals
  & | and
  # | hash
  % | percent
  + | plus
  ~ | tilde
  ; | semicolon
  ! | exclamation mark
  * | asterisk
  ( | open parenthesis
  ) | close parenthesis
  $ | dollar
  \\ | backslash
`)

export const electronic = (): Rule[] =>
  electronicRules({
    marks: { ...MARKS, ',': 'comma' },
    digits,
    letters: (letters, place) => {
      const lower = letters.toLowerCase()
      if (place === 'end' && FILE_ENDS[lower] !== undefined) return FILE_ENDS[lower]
      const isSpelled = SPELLED.has(lower) || (place === 'end' && lower.length <= 3 && !SAID_AS_WORDS.has(lower))
      return isSpelled ? letters.toUpperCase() : letters
    },
  })
