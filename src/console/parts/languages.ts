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

/** The `lang` attribute for screen readers; undefined if the language is unknown. */
export const langOf = (language: unknown): string | undefined =>
  typeof language === 'string' && Object.hasOwn(CODES, language) ? CODES[language as keyof typeof CODES] : undefined
