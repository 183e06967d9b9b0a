/** A word as the dictionary has it. `pronunciation` is katakana with long vowels; absent for what it does not know. */
export interface Token {
  readonly surface: string
  readonly pronunciation?: string
  readonly partOfSpeech: string
  readonly partOfSpeechSubcategory1: string
  readonly partOfSpeechSubcategory2: string
}
