import { useEffect, useRef } from 'preact/hooks'

/** Calls back so often, for as long as it is wanted. */
export function useEvery(ms: number, isWanted: boolean, call: () => void): void {
  const latest = useRef(call)
  latest.current = call
  useEffect(() => {
    if (!isWanted) return
    const timer = setInterval(() => latest.current(), ms)
    return () => clearInterval(timer)
  }, [ms, isWanted])
}
