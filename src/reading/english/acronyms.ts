import { listRule, rule } from '../rules.ts'
import type { Rule } from '../scan.ts'
import { wordsOf } from '../table.ts'
import { spellOut } from './numbers.ts'

/** Said as words. Those of five letters or more are words unless {@link SPELLED} names them. */
const SAID_AS_WORDS: ReadonlySet<string> = new Set(
  wordsOf(`
  AIDS AWOL FIFA GIF JPEG LAN LASER LED NASA NATO OPEC PIN RADAR RAM RIP ROM SARS SCUBA SIM SONAR SWAT UEFA WAN ZIP COVID NAFTA ASEAN
  MIDI WIFI SAAB FIAT IKEA LEGO VISA ASCII ANSI DARPA OSHA HUD NIMBY YOLO BASIC COBOL JAVA BAFTA CERN ESPO IATA ICAO MENSA OXFAM PETA RAND SALT
  MIG MAX PRO LITE ZERO BETA DOOM HALO MEGA APEC EFTA SUNY CUNY NOAA JSON RAID TIFF ABBA KISS TED UNCTAD NICAM NASCAR SCOTUS POTUS
  START STEM TASER WASP YAHOO HIV DOS BIOS ISIS ISIL HAMAS TARDIS NICE DOHA LIDAR CAPTCHA GATT BRIC NORAD CAD OK FEMA JAXA MOMA SONY CONCACAF FINA FIBA FIDE IMAX PAC SEAL SEALS DEFRA SAGA MASH ELISA BIMSTEC NASDAQ AMEX MERCOSUR HAMAS FARC SWAPO ZANU UNITA
`).filter((word) => word !== 'HIV' && word !== 'OK'),
)
const SPELLED: ReadonlySet<string> = new Set(wordsOf('HTTPS AFLCIO NAACP ASPCA USAAF USAID USPTO'))
/** Capitals of these are emphasis or a headline. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(
  wordsOf(`
  A ALL AM AN AND ANY ARE AS AT BE BIG BUT BY CAN DAY DID DO END FOR FROM GET GO GOD GOOD HAD HAS HAVE HE HER HERE HIM HIS HOT HOW I IF IN INTO IS
  JUST LET LIKE LIVE LOVE MAN ME MORE MY NEW NO NOT NOW OF OFF OH OLD ON ONE ONLY OR OUR OUT OVER PER PLUS RED SAY SEE SHE SO SOME STOP THAT THE
  THEM THEN THEY THIS TO TOO TOP TWO UP USE VERY WAR WAS WAY WE WELL WERE WHAT WHEN WHY WILL WITH YES YET YOU YOUR HEY WOW HI BYE SORRY EVER
  NEVER SALE FREE BEST MADE MAKE TIME WORK NEWS HELP NEED READ DEAR NEXT LAST LONG CITY KING HOME BACK DOWN
`),
)
const SPELLED_IN_CONTEXT: ReadonlySet<string> = new Set(['ALL', 'AM', 'PER'])
/** "AT&T", "DNA/RNA". */
const JOINED_BEFORE = /\p{Lu}s?[&/]$/u
const SHOUT = /^[\s!?,.'’"-]+(?<word>\p{Lu}{2,})(?![\p{L}\d])/u
const SHOUT_BEFORE = /(?:^|[^\p{L}\d])(?<word>\p{Lu}{2,})[\s!?,.'’"-]+$/u

/** "BBC", "DVDs", "PhD": letters that are said one by one. */
export const acronyms = (): Rule[] => [
  rule(
    'acronym',
    'letter',
    String.raw`(?<letters>\p{Lu}{2,6})(?<plural>s|['’]s)?(?![\p{L}\d])`,
    ({ letters = '', plural }, { before, after }) => {
      if (!/[A-Z]/.test(letters)) return null
      if (!JOINED_BEFORE.test(before) && !/^&\p{Lu}/u.test(after)) {
        if (isWord(letters) || /[\d@#$£€¥₩%&/\\]$/.test(before) || isShouted(before, after)) return null
      }
      return `${spellOut(letters)}${plural === undefined ? '' : "'s"}`
    },
  ),
  listRule(
    'acronym',
    ['PhD', 'BSc', 'MSc', 'plc', 'tv'],
    String.raw`(?:PhDs?|[BM]Scs?|plc|tv)(?![\p{L}\d])`,
    (_groups, _around, match) =>
      match === 'tv' ? 'TV' : spellOut(match.slice(0, 3).toUpperCase()) + (match.endsWith('s') ? "'s" : ''),
  ),
]

/** Said as a word, though it is written in capitals. */
export function isWord(letters: string): boolean {
  if (SPELLED.has(letters)) return false
  if (SAID_AS_WORDS.has(letters) || PLAIN_WORDS.has(letters)) return true
  return letters.length >= 5 && isPronounceable(letters)
}

/** Two letters that are one sound. */
const DIGRAPHS = /TCH|SCH|GH|TH|CH|SH|PH|CK|NG|QU|WR|KN|WH/g
const ONSET = /^(?:[^AEIOUY]?[AEIOUY]|[BCFGKPT#]L|[BCDFGKPT#]R|S[CKLMNPTVW#]|S[CPT][LR]|[DT]W|PS|GN|PN|TS|CZ|DJ)/

/** It begins as words do, and has no four consonants behind each other: not "UNHCR" or "CSIRO". */
function isPronounceable(letters: string): boolean {
  const sounds = letters.replaceAll(DIGRAPHS, '#')
  return ONSET.test(sounds) && /[AEIOUY]/.test(sounds) && !/[^AEIOUY]{4}/.test(sounds)
}

/** A word beside it is written in capitals as well, and is no acronym. */
function isShouted(before: string, after: string): boolean {
  return [SHOUT_BEFORE.exec(before), SHOUT.exec(after)].some((match) => {
    const word = match?.groups?.word
    return word !== undefined && !SPELLED_IN_CONTEXT.has(word) && !SAID_AS_WORDS.has(word) && isWord(word)
  })
}
