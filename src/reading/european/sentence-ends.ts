import { endsSentence } from '../rules.ts'
import type { Words } from './words.ts'

/** If a period before a text ends a sentence. */
export function endsOf({ sentenceStart }: Pick<Words, 'sentenceStart'>): (after: string) => boolean {
  if (sentenceStart === undefined) return endsSentence
  const end = new RegExp(`^['"”“’»)\\]]*(?:\\s*$|\\s+["„«»(]*(?:${sentenceStart}))`, 'u')
  return (after) => end.test(after)
}
