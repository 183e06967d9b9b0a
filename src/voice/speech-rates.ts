import type { Language } from '../engines/espeak/detect-language.ts'

// Measured by `npx node bench/speech-rates.ts` on the embedded engine's output for the sentences of bench/sentences.ts.

/** How long a sentence takes besides its letters: the pause after it. */
export const SENTENCE_SECONDS = 0.3

/** Letters, ideographs, kana and syllables of each language at its ordinary pace. */
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
