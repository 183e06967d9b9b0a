import { useEffect } from 'preact/hooks'
import type { ApiError } from './api-error.ts'

/** So long after a question that did not reach the service it is asked again: the socket may have outlived what cut it off. */
const AGAIN_MS = 5000
/** A browser's timer may be early by its clock. */
const LATE_MS = 50

/** Asks again, a while after the service was not reached, or once the pause is over that it asked for or the question makes by itself. */
export function useAgain(failure: ApiError | null, ask: () => void): void {
  useEffect(() => {
    if (failure === null || (failure.code !== 'OFFLINE' && failure.againAt === null)) return
    const ms = failure.againAt === null ? AGAIN_MS : failure.againAt - Date.now() + LATE_MS
    const timer = setTimeout(ask, ms)
    return () => clearTimeout(timer)
  }, [failure])
}
