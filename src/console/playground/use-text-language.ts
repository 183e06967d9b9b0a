import { useEffect, useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { isHeld } from '../api/follow.ts'
import { sheetLanguage } from '../operations.ts'

/** After the last letter. */
const STILL_MS = 1000
/** The service looks at no more of a text. */
const SAMPLE_CHARACTERS = 1000

/** The language that the service tells a text to be in, once its writer pauses; null while it is not known. */
export function useTextLanguage(text: string, slug: string | null, voice: string | null): string | null {
  const [language, setLanguage] = useState<string | null>(null)
  const sample = text.slice(0, SAMPLE_CHARACTERS)
  const isEmpty = sample.trim() === ''
  useEffect(() => {
    if (isEmpty) return setLanguage(null)
    let isLatest = true
    const timer = setTimeout(() => {
      if (isHeld.peek()) return
      ask(sheetLanguage, { text: sample, slug, voice }).then(
        ({ textLanguage }) => isLatest && setLanguage(textLanguage ?? null),
        () => {},
      )
    }, STILL_MS)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [sample, slug, voice])
  return isEmpty ? null : language
}
