import { useState } from 'preact/hooks'
import { type ApiError, asApiError } from './api-error.ts'
import { useSecondsLeft } from './use-seconds-left.ts'

export interface Action<Input> {
  readonly isRunning: boolean
  /** It is under way, or waits for the end of a pause that the service asked for: its button is off. */
  readonly isOff: boolean
  readonly failure: ApiError | null
  readonly run: (input: Input) => Promise<void>
  readonly reset: () => void
}

/** A mutation behind a button: it does not run twice at once, and what it throws is shown where the button is. */
export function useAction<Input = void>(perform: (input: Input) => Promise<void>): Action<Input> {
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const seconds = useSecondsLeft(failure?.retryAt ?? null)
  // A limit says nothing any more once it is over.
  const isOver = failure?.code === 'RATE_LIMITED' && seconds === 0
  const run = async (input: Input): Promise<void> => {
    if (isRunning || Date.now() < (failure?.retryAt ?? 0)) return
    setRunning(true)
    setFailure(null)
    try {
      await perform(input)
    } catch (error) {
      setFailure(asApiError(error))
    } finally {
      setRunning(false)
    }
  }
  const isOff = isRunning || seconds > 0
  return { isRunning, isOff, failure: isOver ? null : failure, run, reset: () => setFailure(null) }
}
