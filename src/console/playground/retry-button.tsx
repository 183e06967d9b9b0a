import { useState } from 'preact/hooks'
import { randomKey } from '../api/random-key.ts'
import { useAction } from '../api/use-action.ts'
import { Failure } from '../parts/failure.tsx'
import { retryTake, type Take } from './takes.ts'

/** Speaks a take that has failed once more, as a new one. */
export function RetryButton({ take }: { take: Take }) {
  // Each press may be the one before, whose answer was lost, until one is answered.
  const [key, setKey] = useState(randomKey)
  const retry = useAction(async () => {
    await retryTake(take, key)
    setKey(randomKey)
  })
  return (
    <>
      {retry.failure !== null && <Failure failure={retry.failure} />}
      <button type="button" class="button small" aria-disabled={retry.isOff} onClick={() => retry.run()}>
        Retry
      </button>
    </>
  )
}
