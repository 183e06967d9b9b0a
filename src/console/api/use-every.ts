import { useEffect, useRef } from 'preact/hooks'
import { isHeld } from './follow.ts'
import { whenShown } from './when-shown.ts'

/** Calls back so often, for as long as it is wanted and its session has not ended; in a hidden tab once it is looked at again. */
export function useEvery(ms: number, isWanted: boolean, call: () => void): void {
  const latest = useRef(call)
  latest.current = call
  useEffect(() => {
    if (!isWanted) return
    let stop = (): void => {}
    const timer = setInterval(() => {
      stop()
      stop = whenShown(() => isHeld.peek() || latest.current())
    }, ms)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [ms, isWanted])
}
