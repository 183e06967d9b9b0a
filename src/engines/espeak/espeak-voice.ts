import type { EngineVoice } from '../engine.ts'
import { type FliteSpeaker, isFliteSpeaker } from '../flite/flite.ts'
import { detectLanguage, knownLanguage, LANGUAGE_CODES, LANGUAGES, type Language } from './detect-language.ts'

export const ESPEAK_LANGUAGES: Readonly<Record<Language, string>> = {
  ...LANGUAGE_CODES,
  Chinese: 'cmn',
  English: 'en-us',
}

export const OWN_PITCH = 50
const WHISPER = { woman: 'whisperf', man: 'whisper' } as const
const WOMEN = /^(?:f\d|Alicia|Andrea|Annie|anika|anikaRobot|aunty|belinda|grandma|linda|shelby|steph\d?|whisperf)$/

/** eSpeak's languages and accents; a test compares both lists with the engine. */
const NAMED_LANGUAGES = [
  'af am an ar as az ba be bg bn bpy bs ca ca-ba ca-nw ca-va chr cmn cmn-Latn-pinyin cmn-latn-pinyin cs cv ',
  'cy da de el en en-029 en-GB-scotland en-GB-x-gbclan en-GB-x-gbcwmd en-GB-x-rp en-US en-US-nyc ',
  'en-gb-scotland en-gb-x-gbclan en-gb-x-gbcwmd en-gb-x-rp en-us en-us-nyc eo es es-419 et eu fa fa-Latn ',
  'fa-latn fi fo fr fr-BE fr-CH fr-be fr-ch ga gd gn grc gu hak haw he hi hr ht hu hy hyw ia id io is it ja ',
  'jbo ka kaa kk kl kn ko kok ku ky la lb lfn lt ltg lv mi mk ml mr ms mt mto my nb nci ne nl nog om or pa ',
  'pap piqd pl pt pt-BR pt-br py qdb qu quc qya ro ru ru-LV ru-cl ru-lv sd shn si sjn sk sl smj sq sr sv sw ',
  'ta te th ti tk tn tr tt ug uk ur uz vi vi-VN-x-central vi-VN-x-south vi-vn-x-central vi-vn-x-south xex ',
  'yue yue-Latn-jyutping',
].join('')
const VARIANTS = [
  'Alex|Alicia|Andrea|Andy|Annie|AnxiousAndy|Demonic|Denis|Diogo|Gene|Gene2|Henrique|Hugo|Jacky|Lee|Marco|',
  'Mario|Michael|Mike|Mr serious|Nguyen|Reed|RicishayMax|RicishayMax2|RicishayMax3|Storm|Tweaky|UniRobot|',
  'adam|anika|anikaRobot|announcer|antonio|aunty|belinda|benjamin|boris|caleb|croak|david|ed|edward|edward2|',
  'f1|f2|f3|f4|f5|fast|grandma|grandpa|gustave|ian|iven|iven2|iven3|iven4|john|kaukovalta|klatt|klatt2|',
  'klatt3|klatt4|klatt5|klatt6|linda|m1|m2|m3|m4|m5|m6|m7|m8|marcelo|max|michel|miguel|mike2|norbert|pablo|',
  'paul|pedro|quincy|rob|robert|robosoft|robosoft2|robosoft3|robosoft4|robosoft5|robosoft6|robosoft7|',
  'robosoft8|sandro|shelby|steph|steph2|steph3|travis|victor|whisper|whisperf|zac',
].join('')

/** A voice such as `en-us+f3` is a language, then a variant. */
export const ESPEAK_NAMES = {
  languages: new Set(NAMED_LANGUAGES.split(' ')),
  variants: new Set(VARIANTS.split('|')),
}

const EVERYWHERE =
  'Latin Armenian Bengali Devanagari Georgian Gujarati Gurmukhi Hangul Kannada Malayalam Sinhala Tamil'.split(' ')
/** Scripts and the only languages that read them; a test compares this with the engine. */
const SOME: Readonly<Record<string, string>> = {
  Arabic: 'ar fa sd ug ur',
  Bopomofo: 'cmn',
  Cherokee: 'chr',
  Cyrillic: 'ba be bg bs cv hr kaa kk ky mk nog ru sr tt uk uz',
  Ethiopic: 'am ti',
  Han: 'cmn ja yue',
  Hebrew: 'he',
  Hiragana: 'ja',
  Katakana: 'ja',
  Myanmar: 'my shn',
  Oriya: 'or',
  Telugu: 'te',
  Thai: 'th',
}
const NAME_GREEK = 'af bs en hr lt mk sr vi'

export const SCRIPTS: readonly string[] = [...EVERYWHERE, 'Greek', ...Object.keys(SOME)]

/** Pictures only: the Emoji property also holds digits and ©. */
const EMOJI =
  /[\p{Emoji_Presentation}\p{Emoji_Modifier}\p{Regional_Indicator}\u{E0020}-\u{E007F}]|(?![©®™])\p{Extended_Pictographic}/u
const EMOJI_PART = /\u200d|\u20e3|\ufe0e|\ufe0f/u
const GREEK_WORD = /\p{Script=Greek}{2,}/gu
const KANA_SIGN = /\u3099|\u309a|[\u309b\u309c\u30fb\u30fc\u301c〆々]/u
const letters = new Map<string, RegExp>()

export interface EspeakVoice {
  readonly language: string
  /** Null: the language's plain voice. */
  readonly variant: string | null
  /** 0 to 99; 50 is the speaker's own. */
  readonly pitch: number
  /** The speaker of flite that says English instead. */
  readonly english: FliteSpeaker | null
}

type Utterance = 'letter' | 'symbol' | 'silent'

export const whispererFor = (variant: string | null): string =>
  variant !== null && WOMEN.test(variant) ? WHISPER.woman : WHISPER.man

/**
 * Picks the speaker of `en-us+f3`, `en-us+f3@60` (pitch) or `en-us+f3/slt` (flite's) in a language; null for another form.
 * A voice's accent stays if it is of that language.
 */
export function pickVoice(engineVoice: string, language: Language | undefined): EspeakVoice | null {
  const [, own, variant = null, pitch = OWN_PITCH, english = null] =
    /^([a-z][a-z0-9-]*)(?:\+(\w[\w ]*))?(?:@(\d{1,2}))?(?:\/(\w+))?$/i.exec(engineVoice) ?? []
  if (own === undefined || (english !== null && !isFliteSpeaker(english))) return null
  const wanted = language === undefined ? own : ESPEAK_LANGUAGES[language]
  return { language: familyOf(wanted) === familyOf(own) ? own : wanted, variant, pitch: Number(pitch), english }
}

const NAMED_LANGUAGE = /^([a-z]{2,3})(?:[-_+@]|$)/i

/** The language that a voice's file states, else that of its engine's name. Pure. */
export function ownLanguage({
  engineVoice,
  language,
}: Pick<EngineVoice, 'engineVoice' | 'language'>): Language | undefined {
  const said = knownLanguage(language)
  if (said !== undefined) return said
  const family = NAMED_LANGUAGE.exec(engineVoice ?? '')?.[1]
    ?.toLowerCase()
    .replace(/^zh$/, 'cmn')
  return LANGUAGES.find((known) => familyOf(ESPEAK_LANGUAGES[known]) === family)
}

/** The requested language, else the detected one; undefined: the voice's own. Pure. */
export const spokenLanguage = (
  voice: Pick<EngineVoice, 'engineVoice' | 'language'>,
  asked: Language | 'auto',
  text: string,
): Language | undefined => (asked === 'auto' ? detectLanguage(text, ownLanguage(voice)) : asked)

export function utteranceOf(character: string, language: string): Utterance {
  if (character <= 'ɏ') return /[\p{L}\p{N}]/u.test(character) ? 'letter' : 'symbol'
  if (EMOJI.test(character) || EMOJI_PART.test(character) || /[\p{Script=Braille}\p{Cn}]/u.test(character))
    return 'silent'
  if (KANA_SIGN.test(character)) return familyOf(language) === 'ja' ? 'symbol' : 'silent'
  if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return 'symbol'
  return lettersOf(language).test(character) ? 'letter' : 'silent'
}

/** Replaces Greek words that eSpeak would spell by spaces of the same length. */
export const withoutNamedWords = (text: string, language: string): string =>
  NAME_GREEK.split(' ').includes(familyOf(language))
    ? text.replace(GREEK_WORD, (word) => ' '.repeat(word.length))
    : text

export const familyOf = (language: string): string => language.toLowerCase().split('-')[0] ?? ''

function lettersOf(language: string): RegExp {
  const family = familyOf(language)
  const known = letters.get(family)
  if (known !== undefined) return known
  const some = Object.keys(SOME).filter((script) => SOME[script]?.split(' ').includes(family))
  const scripts = [...EVERYWHERE, 'Greek', 'Inherited', ...some].map((script) => `\\p{Script=${script}}`)
  const made = new RegExp(`[${scripts.join('')}]`, 'u')
  letters.set(family, made)
  return made
}
