import { codePoints } from '../../catalog/check-spoken-text.ts'
import { composed } from './composed.ts'
import { readPauses } from './pauses.ts'
import type { Script } from './script.ts'
import { readSsml } from './ssml.ts'

/** What may stand in a text besides what is spoken. */
export type Markup = 'none' | 'pauses' | 'ssml'

/** A submitted text as it is to be spoken, in composed form (NFC). Pure. @throws MarkupViolation */
export const readScript = (text: string, markup: Markup): Script => composed(readMarkup(text, markup))

function readMarkup(text: string, markup: Markup): Script {
  if (markup === 'pauses') return readPauses(text)
  if (markup === 'ssml') return readSsml(text)
  const spans = [{ spoken: text, start: 0, end: text.length }]
  return { segments: [{ spans, manner: {}, pause: 'none', silenceMs: 0 }], characters: codePoints(text) }
}
