import { useEffect, useRef } from 'preact/hooks'
import { isHeld } from './follow.ts'

/** Calls back so often, for as long as it is wanted and its session has not ended. */
export function useEvery(ms: number, isWanted: boolean, call: () => void): void {
  const latest = useRef(call)
  latest.current = call
  useEffect(() => {
    if (!isWanted) return
    const timer = setInterval(() => isHeld.peek() || latest.current(), ms)
    return () => clearInterval(timer)
  }, [ms, isWanted])
}
