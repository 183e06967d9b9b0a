import { useEffect, useRef } from 'preact/hooks'

/** Loads again after what is followed has changed, once for all changes of so many milliseconds. @param followed 0: nothing of it is new */
export function useCalmReload(followed: unknown, everyMs: number, reload: () => void): void {
  const latest = useRef(reload)
  latest.current = reload
  const before = useRef(followed)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => {
    // What is there first is what was loaded.
    const isFirst = before.current === null || before.current === followed
    before.current = followed
    if (isFirst || followed === 0) return
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, everyMs)
  }, [followed])
  useEffect(() => () => clearTimeout(timer.current), [])
}
