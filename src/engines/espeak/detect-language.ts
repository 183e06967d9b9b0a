import { createRequire } from 'node:module'
import type { detect as Detect } from 'tinyld'

// The tables load slowly, so the first text that needs them loads them.
const load = createRequire(import.meta.url)
let detect: typeof Detect | undefined

const FREQUENT = {
  English:
    'hello hi hey good morning afternoon evening night goodbye bye thanks thank you please sorry yes no the and is are was were be been being am of to in it its this that these those what where how when which who whose why he she we they me my your yours his her hers their our us them with for from not on at by as or if but so an all any some one two out up down off over under about into after before again then than there here just only also very too more most much many have has had having do does did done don can could will would shall should may might must let get got go going come make made take see know think want need like time day today tomorrow now new man people because while through between every each other another such own same never always still back well way welcome test scenario',
  French:
    'bonjour bonsoir salut merci beaucoup oui non au aux revoir le la les un une des du de et est sont était être été suis es êtes tu il elle on nous vous ils elles ce cet cette ces que qui quoi dont où quand comment pourquoi combien pas ne plus moins très trop dans avec pour par sur sous sans chez entre vers mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ai as avons avez ont avait fait faire faut peut peux pouvez veux veut voudrais va vais aller sera mais ou si donc car comme aussi encore toujours jamais rien tout tous toute toutes autre même bien bon bonne ça cela ici là lui me te se moi toi eux après avant depuis pendant alors puis quel quelle monde plaît jour soir qu jusqu aujourd hui',
  German:
    'hallo guten gute gut guter morgen tag abend nacht danke bitte ja nein tschüss auf wiedersehen der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren sein bin bist seid wird werden wurde wurden worden ich du er sie es wir ihr mich dich sich uns euch mir dir ihm ihn ihnen mein meine meinen dein deine seine seinen ihre ihren unser unsere nicht kein keine keinen mit für von vom zu zum zur bei beim nach aus an am im in über unter vor um durch gegen ohne zwischen wie wo was wer wen wem wann warum welche dass weil wenn als ob denn dann doch noch nur auch schon sehr mehr viel viele immer nie wieder hier da dort heute gestern jetzt so man hat habe haben hatte kann können konnte muss müssen soll sollte will wollen möchte geht gibt macht alle alles etwas nichts andere diese dieser dieses jeder jede bis seit ab welt ins einfach bitten',
  Italian:
    'ciao buongiorno buonasera buonanotte salve grazie prego sì no arrivederci il lo la gli le un uno una di del dello della dei degli delle dell al allo alla ai alle agli all dal dalla dai dalle nel nello nella nei nelle nell sul sulla sui sulle con per tra fra da in su ed ma se che chi cui come dove quando perché quanto quale anche ancora già sempre mai più meno molto troppo poco tutto tutti tutta tutte ogni altro altra altri niente nulla io tu lui lei noi voi loro mi ti si ci vi ne me te sé mio mia miei tuo tua suo sua suoi nostro nostra vostro sono sei siamo siete era erano essere stato stata ho hai ha abbiamo avete hanno aveva avere fa fare fatto può posso puoi possiamo vuole voglio vorrei deve devo stai sta sto va vado questo questa questi queste quello quella quelli qui qua là ora oggi domani ieri dopo prima poi così bene buono buona mondo non giorno sera',
  Spanish:
    'hola buenos buenas buen buena días tardes noches gracias por favor sí no adiós hasta luego el la los las lo un una unos unas al del de en con para sin sobre entre desde hacia que qué quién quien cómo como dónde donde cuándo cuando cuánto cuál porque pero si ni muy más menos tan mucho mucha muchos poco todo todos toda todas cada otro otra otros nada algo nunca siempre también tampoco ya aún aquí ahí allí hoy mañana ayer ahora después antes entonces yo tú él ella usted nosotros ustedes ellos ellas me te se le les nos mi mis tu tus su sus nuestro nuestra es son soy eres somos era eran fue fueron ser sido está están estoy estás estaba estar hay ha he has han había tiene tengo tienes tienen hace hacer hecho puede puedo puedes pueden quiero quiere va voy vamos ir este esta esto estos estas ese esa eso aquel mundo bien así solo día año vez dos',
  Portuguese:
    'olá oi bom boa dia tarde noite obrigado obrigada por favor sim não tchau adeus até os as um uma uns umas do da dos das no na nos nas ao à aos às pelo pela pelos pelas num numa de em com para pra sem sob sobre entre desde que quem qual como onde quando quanto porque mas se ou nem muito muita muitos mais menos tão pouco todo todos toda todas tudo cada outro outra outros nada algo nunca sempre também já ainda aqui ali lá hoje amanhã ontem agora depois antes então assim eu tu você vocês ele ela nós eles elas me te lhe nos meu minha meus minhas teu tua seu sua seus suas nosso nossa são sou és somos era eram foi foram ser sido está estão estou estava estar há tem tenho têm tinha ter faz fazer feito pode posso podem quero quer vai vou vamos ir este esta isto estes estas esse essa isso aquele aquela mundo bem só dia ano vez dois',
} as const

const statistics = () => (detect ??= (load('tinyld') as { detect: typeof Detect }).detect)

/** In the order and spelling of the published endpoint. */
export const LANGUAGES = [
  'Chinese',
  'English',
  'Japanese',
  'Korean',
  'French',
  'German',
  'Italian',
  'Spanish',
  'Portuguese',
  'Russian',
] as const

export type Language = (typeof LANGUAGES)[number]

export const knownLanguage = (name: unknown): Language | undefined => LANGUAGES.find((known) => known === name)

/** ISO 639-1. */
export const LANGUAGE_CODES: Readonly<Record<Language, string>> = {
  Chinese: 'zh',
  English: 'en',
  Japanese: 'ja',
  Korean: 'ko',
  French: 'fr',
  German: 'de',
  Italian: 'it',
  Spanish: 'es',
  Portuguese: 'pt',
  Russian: 'ru',
}

const SAMPLE_CHARACTERS = 1000
const SHORT_TEXT_WORDS = 6
const SHORT_TEXT_SHARE = 0.6
const GUESS_SHARE = 0.15
/** In so many words frequent ones tell the language as well as letter statistics do, at a twentieth of the time. */
const MANY_WORDS = 10
const CLEAR_SHARE = 0.25
const CLEAR_RATIO = 2
const OWN_SHARE = 0.03
const LETTERS_PER_SYLLABLE = 3

const LATIN: Readonly<Record<string, Language>> = {
  en: 'English',
  fr: 'French',
  de: 'German',
  it: 'Italian',
  es: 'Spanish',
  pt: 'Portuguese',
}

const MARKED_WORDS = 2
const MARKS: readonly (readonly [RegExp, Language])[] = [
  [/[¿¡ñ]/iu, 'Spanish'],
  [/[ãõ]/iu, 'Portuguese'],
  [/[ßäöü]/iu, 'German'],
  [/[œêîûçë]/iu, 'French'],
]

const FREQUENT_WORDS: readonly (readonly [Language, ReadonlySet<string>])[] = Object.entries(FREQUENT).map(
  ([language, words]) => [language as Language, new Set(words.split(' '))] as const,
)

/** Characters of Japan only, and signs of Japanese writing. */
const JAPANESE_FORMS =
  /[々〆ヶ亜悪圧囲壱隠栄営駅円縁応桜仮懐絵壊拡覚楽勧歓観巻関陥顔気帰戯犠拠挙郷暁駆勲恵渓経継軽鶏芸撃県険圏検権顕験厳広鉱済剤雑桟賛児実釈収従渋獣縦粛処奨焼証縄譲醸図穂瀬窃摂専浅戦践銭潜繊捜挿巣騒総蔵臓続対帯滞択沢単団弾鋳庁聴勅鎮逓鉄転伝稲闘徳読届弐悩脳廃拝売発髪抜浜払仏変辺歩豊毎満訳薬様謡頼覧竜両猟緑塁涙齢労録働込峠畑辻枠黒戸塩姫麺匂凪雫扱]/u
const CHINESE_FORMS =
  /[这們们个說说么麼吗嗎您她你妳呢吧啊哪很还过给为时车东门问间见长开关让讓从從來对對后发话语习爱谁谢]/u

const ADDRESS = /\p{L}+:\/\/\S+|\S*@\S+|#\p{L}\S*|(?:[\w-]+\.)+[a-z][\w-]+(?:\/\S*)?|\S*[\\_/]\S*[\\_/]\S*/giu
const WORD = /\p{L}[\p{L}\p{M}]+/gu
/** Words of one letter only decide between languages that other words suggest. */
const SINGLE = /(?<![\p{L}\p{M}\p{N}'’])[aeoyàèé](?![\p{L}\p{M}'’.)])/gu
const SINGLES: Readonly<Partial<Record<Language, string>>> = {
  English: 'a',
  French: 'aày',
  Italian: 'aeoè',
  Spanish: 'aeyo',
  Portuguese: 'aeoàé',
}
const NAME = /(?<=[^\s.!?¿¡:;"“”„«»()\p{Pd}][\s'’]+)\p{Lu}\p{Ll}[\p{L}\p{M}]*/gu
/** "Charles de Gaulle": particles between names belong to them. */
const PARTICLE = /(?<=\p{Lu}\p{L}+\s)(?:(?:d[aeiou]|d[ao]s|del|della|der|den|du|el|l[aeo]s?|v[ao]n|y|e)\s)+(?=\p{Lu})/gu
const SPANISH_SIGN = /[¿¡]/

/**
 * Detects a text's language; undefined if none of the ten fits. Pure.
 * @param own the voice's language, kept unless the text clearly shows another
 */
export function detectLanguage(text: string, own?: Language): Language | undefined {
  const from = Math.max(0, text.search(/[¿¡]?\p{L}/u))
  const composed = text.slice(from, from + SAMPLE_CHARACTERS).normalize('NFC')
  const said = composed.replace(ADDRESS, ' ')
  const language = byScript(said) ?? byScript(composed)
  if (language === 'Latin') return own === undefined ? detectLatin(said) : detectLatinFor(own, said)
  // Kanji alone may be either, so a Japanese voice keeps Japanese without Chinese-only forms.
  return language === 'Chinese' && own === 'Japanese' && !hasChineseForms(composed) ? 'Japanese' : language
}

/** Cheap, unlike detecting the language. Pure. */
export const isMostlyLatin = (text: string): boolean => byScript(text.slice(0, SAMPLE_CHARACTERS)) === 'Latin'

function byScript(sample: string): Language | 'Latin' | undefined {
  const latin = countMatches(sample, /\p{Script=Latin}/gu)
  const cyrillic = countMatches(sample, /\p{Script=Cyrillic}/gu)
  const hangul = countMatches(sample, /\p{Script=Hangul}/gu) * LETTERS_PER_SYLLABLE
  const kana = countMatches(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu) * LETTERS_PER_SYLLABLE
  const han = countMatches(sample, /\p{Script=Han}/gu) * LETTERS_PER_SYLLABLE
  const most = Math.max(latin, cyrillic, hangul, kana + han)
  if (most === 0) return undefined
  if (most === hangul) return 'Korean'
  if (most === kana + han) return kana > 0 || isKanji(sample) ? 'Japanese' : 'Chinese'
  return most === cyrillic ? 'Russian' : 'Latin'
}

const hasChineseForms = (text: string): boolean => CHINESE_FORMS.test(text)

const isKanji = (text: string): boolean => JAPANESE_FORMS.test(text) && !hasChineseForms(text)

/** Letter statistics are slow, so frequent words decide first. */
function detectLatin(sample: string): Language | undefined {
  const words: string[] = sample.toLowerCase().match(WORD) ?? []
  if (words.length > SHORT_TEXT_WORDS) {
    const guess = guessOf(sample, words)
    if (guess) return guess
  }
  const tied = byFrequentWords(words)
  if (tied.length === 1) return tied[0]
  const byMark = () => MARKS.find(([mark]) => mark.test(sample))?.[1]
  if (tied.length === 0) return byMark() ?? byStatistics(sample)
  const guess = byStatistics(sample)
  return tied.find((language) => language === guess) ?? byMark() ?? guess
}

const guessOf = (sample: string, words: readonly string[]): Language | undefined =>
  clearInMany(words) ?? byStatistics(sample)

function clearInMany(words: readonly string[]): Language | undefined {
  if (words.length < MANY_WORDS) return undefined
  const scores = FREQUENT_WORDS.map(([language, known]) => [language, count(words, known)] as const)
  const [[language, most], [, next]] = scores.sort(([, one], [, other]) => other - one) as [Score, Score]
  return most >= CLEAR_SHARE * words.length && most >= CLEAR_RATIO * next ? language : undefined
}

const byStatistics = (sample: string): Language | undefined => LATIN[statistics()(sample, { only: Object.keys(LATIN) })]

type Score = readonly [language: Language, count: number]

function byFrequentWords(words: readonly string[]): Language[] {
  const scores = FREQUENT_WORDS.map(([language, known]) => [language, count(words, known)] as const)
  const best = Math.max(...scores.map(([, score]) => score))
  return best === 0 ? [] : scores.filter(([, score]) => score === best).map(([language]) => language)
}

const count = (words: readonly string[], known: ReadonlySet<string>): number =>
  words.reduce((sum, word) => (known.has(word) ? sum + 1 : sum), 0)

/** Names and letter statistics alone are no evidence against the voice's language. */
function detectLatinFor(own: Language, sample: string): Language {
  if (SPANISH_SIGN.test(sample)) return 'Spanish'
  const words: string[] = sample.toLowerCase().match(WORD) ?? []
  const singles: string[] = sample.match(SINGLE) ?? []
  const named: string[] = withoutNames(sample).toLowerCase().match(WORD) ?? []
  const total = words.length + singles.length
  if (total < SHORT_TEXT_WORDS) return shortTextOf(own, named, words.length)
  const more = FREQUENT_WORDS.filter(([language]) => language !== own && onlyIn(language, own, named) > 0)
  const guess = guessOf(sample, words)
  if (more.length === 0) return count(named, wordsOf(own)) === 0 && isMarked(guess, words) ? guess : own
  const weigh = (language: Language): number => {
    const ofOne = singles.filter((letter) => SINGLES[language]?.includes(letter)).length
    return (count(named, wordsOf(language)) + ofOne / 2) / total + (language === guess ? GUESS_SHARE : 0)
  }
  const isLikely = (language: Language): boolean =>
    onlyIn(language, own, named) > 1 || (language === guess && onlyIn(own, language, named) === 0)
  const likely = more.flatMap(([language]) => (isLikely(language) ? [[language, weigh(language)] as const] : []))
  return likely.reduce((most, one) => (one[1] > most[1] ? one : most), [own, weigh(own) + OWN_SHARE] as const)[0]
}

/** A headline may lack frequent words, so letters of one language decide in several words. */
const isMarked = (language: Language | undefined, words: readonly string[]): language is Language =>
  MARKS.some(([mark, one]) => one === language && words.filter((word) => mark.test(word)).length >= MARKED_WORDS)

function shortTextOf(own: Language, words: readonly string[], total: number): Language {
  const clear = clearlyOf(words, total)
  return clear !== undefined && count(words, wordsOf(clear)) > count(words, wordsOf(own)) ? clear : own
}

const onlyIn = (language: Language, other: Language, words: readonly string[]): number =>
  count(
    [...new Set(words)].filter((word) => !wordsOf(other).has(word)),
    wordsOf(language),
  )

const wordsOf = (language: Language): ReadonlySet<string> =>
  FREQUENT_WORDS.find(([name]) => name === language)?.[1] ?? new Set()

function clearlyOf(words: readonly string[], total: number): Language | undefined {
  const different = [...new Set(words)]
  const [language, ...tied] = byFrequentWords(different)
  if (language === undefined || tied.length > 0) return undefined
  const hits = count(different, wordsOf(language))
  return hits >= 2 && hits >= SHORT_TEXT_SHARE * total ? language : undefined
}

const withoutNames = (sample: string): string =>
  /(?<!\p{L})\p{Ll}\p{L}/u.test(sample) ? sample.replace(PARTICLE, ' ').replace(NAME, ' ') : sample

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
