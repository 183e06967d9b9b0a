import { useEffect, useRef } from 'preact/hooks'
import { whenShown } from '../api/when-shown.ts'

/**
 * Loads again after what is followed has changed, once for all changes of so many milliseconds; in a
 * hidden tab once it is looked at again. @param followed 0: nothing of it is new
 */
export function useCalmReload(followed: unknown, everyMs: number, reload: () => void): void {
  const latest = useRef(reload)
  latest.current = reload
  const before = useRef(followed)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const stop = useRef<(() => void) | undefined>(undefined)
  useEffect(() => {
    // The first value belongs to the loaded data.
    const isFirst = before.current === null || before.current === followed
    before.current = followed
    if (isFirst || followed === 0) return
    timer.current ??= setTimeout(() => {
      stop.current = whenShown(() => {
        timer.current = undefined
        latest.current()
      })
    }, everyMs)
  }, [followed])
  const end = (): void => {
    clearTimeout(timer.current)
    stop.current?.()
  }
  useEffect(() => end, [])
}
