import type { Language } from '../engines/espeak/detect-language.ts'

// `node bench/speech-rates.ts` measures these rates with the embedded engine.

export const SENTENCE_SECONDS = 0.3

export const SECONDS_PER_LETTER: Readonly<Record<Language, number>> = {
  Chinese: 0.25,
  English: 0.064,
  Japanese: 0.113,
  Korean: 0.169,
  French: 0.049,
  German: 0.064,
  Italian: 0.066,
  Spanish: 0.067,
  Portuguese: 0.067,
  Russian: 0.059,
}
