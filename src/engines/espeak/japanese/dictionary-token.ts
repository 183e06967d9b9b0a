/** `pronunciation` is katakana with long vowels; absent for unknown words. */
export interface Token {
  readonly surface: string
  readonly pronunciation?: string
  readonly partOfSpeech: string
  readonly partOfSpeechSubcategory1: string
  readonly partOfSpeechSubcategory2: string
}
