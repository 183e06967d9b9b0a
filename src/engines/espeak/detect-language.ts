import { createRequire } from 'node:module'
import type { detect as Detect } from 'tinyld'

// Its tables take 50 ms to load: for the first text whose script does not tell, not at every start.
const load = createRequire(import.meta.url)
let detect: typeof Detect | undefined
// Kept, as `require` looks a package up again at every call.
const statistics = () => (detect ??= (load('tinyld') as { detect: typeof Detect }).detect)

/** The languages of the published endpoint, in its order and spelling, without `auto`. */
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

const SAMPLE_CHARACTERS = 1000
/** Up to this many words the frequent words below are surer than letter statistics. */
const SHORT_TEXT_WORDS = 6
/** One ideograph, kana or syllable carries about as much speech as this many letters. */
const LETTERS_PER_SYLLABLE = 3

const LATIN: Readonly<Record<string, Language>> = {
  en: 'English',
  fr: 'French',
  de: 'German',
  it: 'Italian',
  es: 'Spanish',
  pt: 'Portuguese',
}

const MARKS: readonly (readonly [RegExp, Language])[] = [
  [/[¿¡ñ]/iu, 'Spanish'],
  [/[ãõ]/iu, 'Portuguese'],
  [/[ßäöü]/iu, 'German'],
  [/[œêîûçë]/iu, 'French'],
]

const FREQUENT: Readonly<Partial<Record<Language, string>>> = {
  English:
    'hello hi hey good morning evening night goodbye bye thanks thank you please sorry yes the and is are was of to in it this that what where how who why i we they my your with for not have has do does can will welcome test scenario',
  French:
    'bonjour bonsoir salut merci beaucoup oui non au revoir le la les un une des du et est sont je tu il elle nous vous ils ce cette que qui où comment pourquoi pas dans avec pour sur mon ma mes votre ça va bien monde plaît',
  German:
    'hallo guten gute morgen tag abend nacht danke bitte ja nein tschüss auf wiedersehen der die das den dem ein eine einen und ist sind war ich du er sie es wir ihr nicht mit für von zu wie wo was wer warum dir mir mein dein welt',
  Italian:
    'ciao buongiorno buonasera buonanotte salve grazie prego sì arrivederci il lo gli uno una e è sono io tu lui lei noi voi che chi come dove perché non con per di del della questo questa mio mia stai sta bene mondo',
  Spanish:
    'hola buenos buenas días tardes noches gracias por favor sí adiós hasta luego el la los las un una y es son está yo tú él ella nosotros que qué quién cómo dónde cuándo no con para de del esto este esta mi tu mundo muy bien',
  Portuguese:
    'olá oi bom boa dia tarde noite obrigado obrigada por favor sim não tchau adeus o a os as um uma e é são está eu tu você ele ela nós que quem como onde quando com para de do da isto este esta meu minha mundo muito bem',
}

const FREQUENT_WORDS = Object.entries(FREQUENT).map(
  ([language, words]) => [language as Language, new Set(words.split(' '))] as const,
)

/** Characters made or simplified in Japan, which neither form of Chinese has, and signs of Japanese writing. */
const JAPANESE_FORMS =
  /[々〆ヶ亜悪圧囲壱隠栄営駅円縁応桜仮懐絵壊拡覚楽勧歓観巻関陥顔気帰戯犠拠挙郷暁駆勲恵渓経継軽鶏芸撃県険圏検権顕験厳広鉱済剤雑桟賛児実釈収従渋獣縦粛処奨焼証縄譲醸図穂瀬窃摂専浅戦践銭潜繊捜挿巣騒総蔵臓続対帯滞択沢単団弾鋳庁聴勅鎮逓鉄転伝稲闘徳読届弐悩脳廃拝売発髪抜浜払仏変辺歩豊毎満訳薬様謡頼覧竜両猟緑塁涙齢労録働込峠畑辻枠黒戸塩姫麺匂凪雫扱]/u
/** The most frequent characters that Japanese does not use, in both forms of Chinese. */
const CHINESE_FORMS =
  /[这們们个說说么麼吗嗎您她你妳呢吧啊哪很还过给为时车东门问间见长开关让讓从從來对對后发话语习爱谁谢]/u

/** The language that a text is in, or undefined when it has no letters to tell by or none of the ten fits. Pure. */
export function detectLanguage(text: string): Language | undefined {
  const sample = text.slice(0, SAMPLE_CHARACTERS)
  const language = byScript(sample)
  return language === 'Latin' ? detectLatin(sample) : language
}

/** Whether the letters of the ten languages in a text are mostly Latin ones. Cheap, unlike telling their language. Pure. */
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

/** Whether ideographs are written as in Chinese alone. */
export const hasChineseForms = (text: string): boolean => CHINESE_FORMS.test(text)

/** Text without kana is Japanese where it is written as in Japanese alone. */
const isKanji = (text: string): boolean => JAPANESE_FORMS.test(text) && !hasChineseForms(text)

/** Letter statistics take many times as long as looking words up: they are asked only where those do not decide. */
function detectLatin(sample: string): Language | undefined {
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? []
  const byStatistics = () => LATIN[statistics()(sample, { only: Object.keys(LATIN) })]
  if (words.length > SHORT_TEXT_WORDS) {
    const guess = byStatistics()
    if (guess) return guess
  }
  const tied = byFrequentWords(words)
  if (tied.length === 1) return tied[0]
  const byMark = () => MARKS.find(([mark]) => mark.test(sample))?.[1]
  if (tied.length === 0) return byMark() ?? byStatistics()
  const guess = byStatistics()
  return tied.find((language) => language === guess) ?? byMark() ?? guess
}

/** The languages that have most of the words among their frequent ones; none where no word is. */
function byFrequentWords(words: readonly string[]): Language[] {
  const scores = FREQUENT_WORDS.map(([language, known]) => [language, count(words, known)] as const)
  const best = Math.max(...scores.map(([, score]) => score))
  return best === 0 ? [] : scores.filter(([, score]) => score === best).map(([language]) => language)
}

const count = (words: readonly string[], known: ReadonlySet<string>): number =>
  words.reduce((sum, word) => (known.has(word) ? sum + 1 : sum), 0)

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
