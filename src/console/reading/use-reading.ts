import { useEffect, useState } from 'preact/hooks'
import { type ApiError, asApiError } from '../api/api-error.ts'
import { ask } from '../api/ask.ts'
import { comebacks, isHeld } from '../api/follow.ts'
import { useAgain } from '../api/use-again.ts'
import { type TextReadingQuery, textReading } from '../operations.ts'

/** After the last letter. */
const STILL_MS = 600

export interface ReadingQuestion {
  readonly text: string
  /** Undefined: the service detects it. */
  readonly language: string | undefined
  readonly slug: string
  /** Null: the endpoint has none. */
  readonly voice: string | null
}

/** `text` is the one that was asked about: the user may have gone on. */
interface Shown {
  readonly text: string
  readonly reading: TextReadingQuery['reading']
}

/**
 * How the service reads a text: at once, then whenever its writer pauses. The last answer stays until there is another one.
 * @param round another number asks again
 */
export function useReading({ text, language, slug, voice }: ReadingQuestion, round: number) {
  const [shown, setShown] = useState<Shown | null>(null)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [retries, setRetries] = useState(0)
  const retry = (): void => setRetries((before) => before + 1)
  const isEmpty = text.trim() === ''
  useEffect(() => {
    if (isEmpty) return
    let isLatest = true
    const answered = (found: Shown | null, reason: ApiError | null): void => {
      if (!isLatest) return
      if (found !== null) setShown(found)
      setFailure(reason)
    }
    const timer = setTimeout(
      () => {
        if (isHeld.peek()) return
        ask(textReading, { text, slug, voice, ...(language !== undefined && { language }) }).then(
          ({ reading }) => answered({ text, reading }, null),
          (error) => answered(null, asApiError(error)),
        )
      },
      shown === null ? 0 : STILL_MS,
    )
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [text, language, slug, voice, round, retries, comebacks.value])
  useAgain(failure, retry)
  return { shown: isEmpty ? null : shown, failure: isEmpty ? null : failure, isEmpty, retry }
}
