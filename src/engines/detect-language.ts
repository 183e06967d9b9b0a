import { createRequire } from 'node:module'
import type { detect as Detect } from 'tinyld'

// Its tables take 50 ms to load: for the first text whose script does not tell, not at every start.
const load = createRequire(import.meta.url)
const tinyld = () => load('tinyld') as { detect: typeof Detect }

/** The languages of spec 2.5, in its order and spelling, without `auto`. */
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

const FREQUENT_WORDS: Readonly<Record<string, readonly string[]>> = {
  English:
    'hello hi hey good morning evening night goodbye bye thanks thank you please sorry yes the and is are was of to in it this that what where how who why i we they my your with for not have has do does can will welcome test world'.split(
      ' ',
    ),
  French:
    'bonjour bonsoir salut merci beaucoup oui non au revoir le la les un une des du et est sont je tu il elle nous vous ils ce cette que qui où comment pourquoi pas dans avec pour sur mon ma mes votre ça va bien monde plaît'.split(
      ' ',
    ),
  German:
    'hallo guten gute morgen tag abend nacht danke bitte ja nein tschüss auf wiedersehen der die das den dem ein eine einen und ist sind war ich du er sie es wir ihr nicht mit für von zu wie wo was wer warum dir mir mein dein welt'.split(
      ' ',
    ),
  Italian:
    'ciao buongiorno buonasera buonanotte salve grazie prego sì arrivederci il lo gli uno una e è sono io tu lui lei noi voi che chi come dove perché non con per di del della questo questa mio mia stai sta bene mondo'.split(
      ' ',
    ),
  Spanish:
    'hola buenos buenas días tardes noches gracias por favor sí adiós hasta luego el la los las un una y es son está yo tú él ella nosotros que qué quién cómo dónde cuándo no con para de del esto este esta mi tu mundo muy bien'.split(
      ' ',
    ),
  Portuguese:
    'olá oi bom boa dia tarde noite obrigado obrigada por favor sim não tchau adeus o a os as um uma e é são está eu tu você ele ela nós que quem como onde quando com para de do da isto este esta meu minha mundo muito bem'.split(
      ' ',
    ),
}

/** The language that a text is in, or undefined when it has no letters to tell by or none of the ten fits. Pure. */
export function detectLanguage(text: string): Language | undefined {
  const sample = text.slice(0, SAMPLE_CHARACTERS)
  const latin = count(sample, /\p{Script=Latin}/gu)
  const cyrillic = count(sample, /\p{Script=Cyrillic}/gu)
  const hangul = count(sample, /\p{Script=Hangul}/gu) * LETTERS_PER_SYLLABLE
  const kana = count(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu) * LETTERS_PER_SYLLABLE
  const han = count(sample, /\p{Script=Han}/gu) * LETTERS_PER_SYLLABLE
  const most = Math.max(latin, cyrillic, hangul, kana + han)
  if (most === 0) return undefined
  if (most === hangul) return 'Korean'
  if (most === kana + han) return kana > 0 ? 'Japanese' : 'Chinese'
  return most === cyrillic ? 'Russian' : detectLatin(sample)
}

function detectLatin(sample: string): Language | undefined {
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? []
  const guess = LATIN[tinyld().detect(sample, { only: Object.keys(LATIN) })]
  if (words.length > SHORT_TEXT_WORDS && guess) return guess
  return byFrequentWords(words, guess) ?? MARKS.find(([mark]) => mark.test(sample))?.[1] ?? guess
}

/** A tie goes to the letter statistics' guess, if that is among the tied ones. */
function byFrequentWords(words: readonly string[], guess: Language | undefined): Language | undefined {
  const scores = Object.entries(FREQUENT_WORDS).map(
    ([language, frequent]) => [language as Language, words.filter((word) => frequent.includes(word)).length] as const,
  )
  const best = Math.max(...scores.map(([, score]) => score))
  if (best === 0) return undefined
  const tied = scores.filter(([, score]) => score === best).map(([language]) => language)
  return tied.length === 1 ? tied[0] : tied.find((language) => language === guess)
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
