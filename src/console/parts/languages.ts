/** The languages that the service tells apart, in its spelling, with their codes. */
const CODES = {
  Chinese: 'zh',
  English: 'en',
  French: 'fr',
  German: 'de',
  Italian: 'it',
  Japanese: 'ja',
  Korean: 'ko',
  Portuguese: 'pt',
  Russian: 'ru',
  Spanish: 'es',
} as const

export const LANGUAGES: readonly string[] = Object.keys(CODES)

/** What the attribute `lang` says of a text, for what reads it out; undefined where its language is not known. */
export const langOf = (language: unknown): string | undefined =>
  typeof language === 'string' && Object.hasOwn(CODES, language) ? CODES[language as keyof typeof CODES] : undefined
