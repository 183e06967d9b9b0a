import { codePoints } from '../../catalog/check-spoken-text.ts'
import { composed } from './composed.ts'
import { readPauses } from './pauses.ts'
import type { Script } from './script.ts'
import { readSsml } from './ssml.ts'

export type Markup = 'none' | 'pauses' | 'ssml'

/**
 * Reads a submitted text and composes it (NFC). Pure.
 * @throws MarkupViolation
 */
export const readScript = (text: string, markup: Markup): Script => composed(readMarkup(text, markup))

function readMarkup(text: string, markup: Markup): Script {
  if (markup === 'pauses') return readPauses(text)
  if (markup === 'ssml') return readSsml(text)
  const spans = [{ spoken: text, start: 0, end: text.length }]
  return { segments: [{ spans, manner: {}, pause: 'none', silenceMs: 0 }], characters: codePoints(text) }
}
