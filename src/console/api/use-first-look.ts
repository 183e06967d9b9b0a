import { useEffect, useState } from 'preact/hooks'
import { type ApiError, asFailedQuestion } from './api-error.ts'
import { loadSession } from './session.ts'
import { useAgain } from './use-again.ts'

interface FirstLook {
  /** Why it is not known yet whose session it is. */
  readonly failure: ApiError | null
  readonly look: () => void
}

/** Finds out whose session it is: what fails is tried again for as long as the page is open, and is in sight meanwhile. */
export function useFirstLook(): FirstLook {
  const [failure, setFailure] = useState<ApiError | null>(null)
  const look = (): void => {
    loadSession().then(
      () => setFailure(null),
      (error) => setFailure((before) => asFailedQuestion(error, before)),
    )
  }
  useEffect(look, [])
  useAgain(failure, look)
  return { failure, look }
}
