import { useState } from 'preact/hooks'
import { asRefusal, type Refusal } from './refusal.ts'

export interface Action<Input> {
  readonly isRunning: boolean
  readonly failure: Refusal | null
  readonly run: (input: Input) => Promise<void>
  readonly reset: () => void
}

/** A mutation behind a button: it does not run twice at once, and what it throws is shown where the button is. */
export function useAction<Input = void>(perform: (input: Input) => Promise<void>): Action<Input> {
  const [isRunning, setRunning] = useState(false)
  const [failure, setFailure] = useState<Refusal | null>(null)
  const run = async (input: Input): Promise<void> => {
    if (isRunning) return
    setRunning(true)
    setFailure(null)
    try {
      await perform(input)
    } catch (error) {
      setFailure(asRefusal(error))
    } finally {
      setRunning(false)
    }
  }
  return { isRunning, failure, run, reset: () => setFailure(null) }
}
