import { END, inAnyCase, keepingSentenceEnd, listRule, oneOf, romanValue, rule, wordRule } from '../rules.ts'
import type { Read, Rule } from '../scan.ts'
import { cardinal, digits, inPairs, ordinal, spellOut } from './numbers.ts'
import {
  ABBREVIATIONS,
  ABBREVIATIONS_BEHIND,
  BEFORE_NUMBERS,
  COMPANY_ENDS,
  DIRECTIONS,
  DOTTED_TITLES,
  MORE_GIVEN_NAMES,
  NEVER_LAST,
  ROMAN_BEFORE,
  RULERS,
  STATES,
  STREETS,
  TITLES,
} from './words.ts'

const I_IS_A_WORD =
  /^['’]|^ (?:[a-z]+ )?(?:am|was|have|had|will|would|can|could|think|do|did|love|like|want|need|know|see|hope|feel|saw|went|got|says?|said)\b/
/** "Charles I was" begins a clause, or belongs to a noun before it. */
const SUBJECT_BEFORE =
  /(?:^|[.!?;:(]\s?["“(]?|\b(?:[Ww]hen|that|because|while|[Aa]s|[Ss]ince|where|but|of|by|under|King|Queen|Emperor|Tsar|Pope|Sultan) )$/
/** A given name and a family name: "Robert Hill III". */
const PERSON_BEFORE = /(?:^|[^\p{L}])(?<given>\p{Lu}\p{Ll}+)(?: \p{Lu}\.)? \p{Lu}[\p{L}'’-]+,? $/u
/** A title and a name, or a name with an initial, before a numeral. */
const RULER_BEFORE =
  /\b(?:King|Queen|Pope|Antipope|Emperor|Empress|Prince|Princess|Duke|Archduke|Tsar|Czar|Sultan|Shah|Khan|Count|Earl|Lord|Saint|St\.|Elector|Margrave|Landgrave|Bishop|Archbishop|Patriarch|Catholicos|Caliph|Pharaoh) (?:\p{Lu}[\p{L}-]+ ){1,2}$|\b\p{Lu}\p{Ll}+ \p{Lu}\. \p{Lu}\p{Ll}+,? $/u
const RULER_AFTER = /^,? (?:of \p{Lu}|Rotrou|the Great)/u
const COUNTED_AFTER =
  /^ (?:Olympi|Paralympi|Commonwealth|Winter|Asian|Corps|Army|Legion|Cavalry|Congress|[Cc]entur|Dynasty|dynasty|Olympiad|Republic|Brigade|Fleet)/
const STARTS_SENTENCE =
  /^\s+(?:The|He|She|It|They|We|In|On|At|But|And|This|That|These|There|A|An|His|Her|Its|As|For|After|When|If|You|I|Then|Since|During|However|Later|According|One|Two|Many|Most|Some|Both|All|Although|While|By|From|To|With|My|Our|Your|What|Who|Why|How|So|Also|Today|Once|No|Not|Now|Here|Perhaps|Let|Please|Do|Does|Did|Is|Are|Was|Were|Can|Could|Will|Would|Should|Have|Has|Even|Only|Just|Such|Each|Every|Another|Other|Several|Three|Four|Five|Six|Because|Despite|Following|Under|Until|Where|Which|Thus|Therefore|Meanwhile|Additionally|Furthermore|Moreover|Finally|Eventually|Initially|Originally|Among|Within|Between|Through|Throughout|Still|Yet|Unlike|Like|Prior|Upon|Using|How)\b/

export const romans = (): Rule[] => [...romansBehindWords(), ...bareRomans()]

function romansBehindWords(): Rule[] {
  const WORDS = new Set(ROMAN_BEFORE)
  const NAMES = new Set(RULERS)
  return [
    // "Chapter IV", but "Class C".
    listRule(
      'roman',
      ROMAN_BEFORE,
      String.raw`(?<word>[A-Za-z]{1,9}\.?) (?<numeral>[IVX]|[IVXLCDM]{2,12}|[ivx]{2,5})${END}`,
      ({ word = '', numeral = '' }, { after }) => {
        const value = WORDS.has(word) ? romanValue(numeral.toUpperCase()) : null
        const isPronoun = numeral === 'I' && (I_IS_A_WORD.test(after) || (word === 'No.' && /^ [a-z]/.test(after)))
        return value === null || isPronoun ? null : `${BEFORE_NUMBERS[word] ?? word} ${cardinal(String(value))}`
      },
    ),
    listRule(
      'roman',
      RULERS,
      String.raw`(?<name>\p{Lu}\p{Ll}{2,14}(?: \p{Lu}\p{Ll}{2,14})?) (?<numeral>[IVX]{1,7})(?<possessive>['’]s)?${END}`,
      ({ name = '', numeral = '', possessive = '' }, { before, after }) => {
        const value = name.split(' ').every((word) => NAMES.has(word)) ? romanValue(numeral) : null
        const isPronoun =
          numeral === 'I' && possessive === '' && I_IS_A_WORD.test(after) && !SUBJECT_BEFORE.test(before)
        return value === null || isPronoun ? null : `${name} the ${ordinal(String(value))}${possessive}`
      },
    ),
  ]
}

/** Numerals behind other names: "Rocky IV". */
function bareRomans(): Rule[] {
  return [
    wordRule(
      'roman',
      Array.from('IVX'),
      `(?<numeral>[IVX]{2,7})(?<possessive>['’]s)?${END}`,
      ({ numeral = '', possessive = '' }, { before, after }) => {
        const value = romanValue(numeral)
        const isCounted = COUNTED_AFTER.test(after)
        if (value === null || (/^XXX?$/.test(numeral) && !isCounted)) return null
        const isInfusion =
          numeral === 'IV' &&
          (/\ban $/.test(before) || /^ (?:drip|fluids?|lines?|bag|therapy|antibiotics|medication)\b/.test(after))
        if (isInfusion) return null
        const isOrdinal =
          isCounted || RULER_BEFORE.test(before) || RULER_AFTER.test(after) || (value < 6 && isPerson(before))
        return `${isOrdinal ? ordinalBehind(before, value) : cardinal(String(value))}${possessive}`
      },
    ),
    // "XXth", "the XX Olympic Games".
    wordRule(
      'roman',
      Array.from('IVX'),
      `(?<numeral>[IVX]{1,7})(?:st|nd|rd|th|(?= (?:Olympi|Commonwealth|Winter|Asian)))${END}`,
      ({ numeral = '' }, { before }) => {
        const value = romanValue(numeral)
        return value === null || /[\p{L}\d]-?$/u.test(before) ? null : ordinal(String(value))
      },
    ),
    // "I, II and III".
    wordRule('roman', Array.from('I'), String.raw`I(?=(?:,| and|–| or| to) II\b)`, () => 'one'),
  ]
}

const GIVEN_NAMES: ReadonlySet<string> = new Set([...RULERS, ...MORE_GIVEN_NAMES])
const isPerson = (before: string): boolean => GIVEN_NAMES.has(PERSON_BEFORE.exec(before)?.groups?.given ?? '')

/** "Henry the eighth", but "the fourth Corps". */
const ordinalBehind = (before: string, value: number): string =>
  `${/\b(?:the|The|and|of) $/.test(before) ? '' : 'the '}${ordinal(String(value))}`

/** "The no 1 spot", but "no 5 star hotels". */
const NUMBERED_BEFORE = /\b(?:the|at|their|his|her|its|a|to|than) $/i

export const addresses = (): Rule[] => [...places(), ...streets()]

function places(): Rule[] {
  const STREET = oneOf(inAnyCase(Object.keys(STREETS)))
  const DIRECTION = oneOf(Object.keys(DIRECTIONS))
  const STATE = oneOf(Object.keys(STATES))
  return [
    // "1428 Elm St.", "2788 San Tomas Expy".
    rule(
      'serial',
      'digit',
      String.raw`(?<number>\d{1,5})(?<letter>[A-Z])? (?:(?<direction>${DIRECTION})\.? )?(?<name>(?:(?:\p{Lu}[\p{L}'’.]{0,19}|\d{1,3}(?:st|nd|rd|th)) ){1,4})(?<street>${STREET})(?!\p{L})\.?(?: (?<side>${DIRECTION})(?!\p{L})\.?)?`,
      readAddress,
    ),
    // "Springfield, IL 62704".
    listRule(
      'abbreviation',
      Object.keys(STATES),
      String.raw`(?<state>${STATE})(?<comma>,?) (?<zip>\d{5})(?:-(?<four>\d{4}))?${END}`,
      ({ state = '', comma = '', zip = '', four }, { before }) =>
        /,\s?$/.test(before)
          ? `${STATES[state]}${comma} ${digits(zip)}${four === undefined ? '' : `, ${digits(four)}`}`
          : null,
    ),
  ]
}

function streets(): Rule[] {
  return [
    rule(
      'abbreviation',
      'digit',
      String.raw`(?<number>\d{1,3})(?:st|nd|rd|th) (?<street>St|Ave|Blvd|Rd)(?!\p{L})\.?`,
      ({ number = '', street = '' }, around, match) =>
        keepingSentenceEnd(match, around, `${ordinal(number)} ${STREETS[street.toLowerCase()]}`),
    ),
    rule(
      'abbreviation',
      'letter',
      String.raw`(?<word>\p{Lu}[\p{L}'’]{1,20}) (?<street>St|Ave|Blvd|Rd|Ln|Pkwy|Hwy|Sq|Ct)(?!\p{L})\.?`,
      ({ word = '', street = '' }, around, match) => {
        const { before, after } = around
        const isPlace =
          /\b(?:on|at|of|to|along|down|from|near|and|corner|off|cross|in|\d|St\.?|[NSEW]\.?) (?:\p{Lu}[\p{L}]{1,20} ){0,2}$/u.test(
            before,
          )
        if (street === 'St' && match.endsWith('.') && (/^[,;)]/.test(after) || (after === '' && before !== '')))
          return keepingSentenceEnd(match, around, `${word} Street`)
        if (word === 'Main' ? !isPlace : !isPlace && !/^St\.? /.test(match)) return null
        if (street === 'St' && /^ \p{Lu}/u.test(after) && !match.endsWith('.')) return null
        return keepingSentenceEnd(match, around, `${word} ${STREETS[street.toLowerCase()]}`)
      },
    ),
  ]
}

const readAddress: Read = ({ number = '', letter, direction, name = '', street = '', side }, around, match) => {
  if (!/\p{Lu}|\d/u.test(name)) return null
  const words = name.trim().replaceAll(/(\d+)(?:st|nd|rd|th)/gi, (_whole, part: string) => ordinal(part))
  const said = [
    inPairs(number),
    ...(letter === undefined ? [] : [letter.toUpperCase()]),
    ...(direction === undefined ? [] : [DIRECTIONS[direction.toUpperCase()]]),
    words,
    STREETS[street.toLowerCase()],
    ...(side === undefined ? [] : [DIRECTIONS[side.toUpperCase()]]),
  ].join(' ')
  return keepingSentenceEnd(match, around, said)
}

export const abbreviations = (): Rule[] => [...titlesAndNumbers(), ...dottedWords(), ...otherAbbreviations()]

function titlesAndNumbers(): Rule[] {
  const titles = Object.keys(TITLES)
  const dotted = Object.keys(DOTTED_TITLES)
  const beforeNumbers = Object.keys(BEFORE_NUMBERS)
  return [
    listRule(
      'abbreviation',
      titles,
      String.raw`(?<title>${oneOf(titles)})(?:\.|(?= ))(?= ?\p{Lu}| (?:and|&) (?:Mrs|Dr|Ms|Miss))`,
      ({ title = '' }, { before }, match) =>
        title === 'St' &&
        /\p{Lu}\p{L}+ $/u.test(before) &&
        !/\b(?:Fort|Port|Mount|Lake|Church|Saint|The|In|At|Of|From|And)\s$/.test(before) &&
        match.endsWith('.')
          ? null
          : (TITLES[title] as string),
    ),
    listRule(
      'abbreviation',
      dotted,
      String.raw`(?<title>${oneOf(dotted)})\.(?= ?\p{Lu})`,
      ({ title = '' }) => DOTTED_TITLES[title] as string,
    ),
    listRule(
      'abbreviation',
      beforeNumbers,
      String.raw`(?<word>[A-Za-z]{1,6}\.?) ?(?=[\d#IVX$£€(]|A\.?D\.? )`,
      ({ word = '' }, { before, after }, match) => {
        if (!Object.hasOwn(BEFORE_NUMBERS, word) && !/^[Nn]o $/.test(match)) return null
        if (!/^(?:[\d#$£€A]|\(\d|(?:[VX]|[IVX]{2,})\b)/.test(after) || /[\p{L}'’]$/u.test(before)) return null
        if (word.toLowerCase() === 'no')
          return NUMBERED_BEFORE.test(before) || word === 'No' ? `${word === 'No' ? 'Number' : 'number'} ` : null
        return /^[bdr]\.$/.test(word) && !/[(,;] ?$/.test(before) ? null : `${BEFORE_NUMBERS[word]} `
      },
    ),
  ]
}

function dottedWords(): Rule[] {
  const all = Object.keys(ABBREVIATIONS)
  const ends = Object.keys(COMPANY_ENDS)
  return [
    listRule(
      'abbreviation',
      all,
      String.raw`(?<word>(?:[A-Za-z]{1,6}\.){1,4}|WW(?:II?|[12])|et al\.|[ei]\. [ge]\.|N\/A)(?!\p{L})`,
      ({ word = '' }, around, match) => {
        if (!Object.hasOwn(ABBREVIATIONS, word)) return null
        if (
          ABBREVIATIONS_BEHIND.has(word) &&
          !/\d(?:st|nd|rd|th)? ?$|\p{Lu}\p{L}* $|(?:cubic|square) $/u.test(around.before)
        )
          return null
        return NEVER_LAST.has(word)
          ? (ABBREVIATIONS[word] as string)
          : keepingSentenceEnd(match, around, ABBREVIATIONS[word] as string)
      },
    ),
    listRule(
      'abbreviation',
      ends,
      `(?<word>${oneOf(ends)}|Ltd|Inc)(?!\\p{L})`,
      ({ word = '' }, { before, after }, match) => {
        if (!/\p{L},? $|& $/u.test(before)) return null
        if (!word.endsWith('.')) return COMPANY_ENDS[`${word}.`] as string
        const isEnd = /^['"”’)]*\s*$/.test(after) || STARTS_SENTENCE.test(after)
        return { spoken: COMPANY_ENDS[word] as string, length: match.length - (isEnd ? 1 : 0) }
      },
    ),
  ]
}

function otherAbbreviations(): Rule[] {
  return [
    // "N. America", "E. 4th Street".
    wordRule(
      'abbreviation',
      Array.from('NSEW'),
      String.raw`(?<side>[NSEW])\.(?= (?:America|Korea|Africa|Carolina|Dakota|Virginia|Ireland|Yorkshire|Asia|Europe|Germany|Vietnam|Wales)\b| \d{1,3}(?:st|nd|rd|th)\b)`,
      ({ side = '' }) => DIRECTIONS[side] as string,
    ),
    // "5 km NW of Paris".
    listRule(
      'abbreviation',
      Object.keys(DIRECTIONS),
      `(?<side>${oneOf(Object.keys(DIRECTIONS))})(?= of \\p{Lu})`,
      ({ side = '' }, { before }) =>
        /(?:km|mi\.?|miles?|kilomet(?:er|re)s?|m) $/.test(before) ? (DIRECTIONS[side]?.toLowerCase() ?? null) : null,
    ),
    // "Roe v. Wade".
    wordRule('abbreviation', Array.from('v'), String.raw`vs?(?:\.|(?= ))(?= \p{Lu})`, (_groups, { before }) =>
      /\p{L} $/u.test(before) ? 'versus' : null,
    ),
    wordRule('abbreviation', Array.from('w'), String.raw`w\/(?<out>o)?(?=[ \p{L}])`, ({ out }) =>
      out === undefined ? 'with' : 'without',
    ),
    rule('abbreviation', 'digit', String.raw`401 ?\(?k\)?`, () => 'four oh one k'),
  ]
}

export const initials = (): Rule[] => [
  // "U.S.", "Ph.D.", "e.s.t.".
  rule(
    'acronym',
    'letter',
    String.raw`(?:\p{Lu}\.){2,8}(?:\p{Lu}(?!\p{L}))?(?<possessive>['’]?s\b)?`,
    ({ possessive = '' }, { after }, match) => {
      const said = `${spellOut(match.replaceAll(/[^\p{Lu}]/gu, ''))}${possessive}`
      const isEnd = match.endsWith('.') && (/^['"”’)]*\s*$/.test(after) || STARTS_SENTENCE.test(after))
      return { spoken: said, length: match.length - (isEnd ? 1 : 0) }
    },
  ),
  wordRule('acronym', Array.from('P'), String.raw`Ph\.? ?D(?:\.|(?!\p{L}))`, (_groups, around, match) =>
    keepingSentenceEnd(match, around, 'P H D'),
  ),
  // "J. K. Rowling", "Harry S. Truman": the period is no pause.
  // "E. coli": a small letter begins no sentence.
  rule('acronym', 'letter', String.raw`(?<letter>[A-Z])\.(?= [a-z]{3})`, ({ letter = '' }, { before }) =>
    /(?:^|[\s("“‘])$/.test(before) ? letter : null,
  ),
  rule('acronym', 'letter', String.raw`(?<letter>\p{Lu})\.(?= ?\p{Lu})`, ({ letter = '' }, { before, after }) => {
    const isName = /(?:^|[\s("“‘-])$/.test(before) && !STARTS_SENTENCE.test(after)
    return isName && !/\b(?:[Vv]itamin|[Pp]lan|[Gg]roup|[Tt]ype|[Cc]lass|[A-Z] and) $/.test(before) ? letter : null
  }),
]
