import { useEffect, useState } from 'preact/hooks'

/** Seconds that are left of a pause, counted down. @param until its end by this browser's clock; null: there is none */
export function useSecondsLeft(until: number | null): number {
  const [, setShown] = useState(0)
  const end = until ?? 0
  useEffect(() => {
    if (end <= Date.now()) return
    const timer = setInterval(() => {
      const now = Date.now()
      setShown(Math.min(end, now))
      if (now >= end) clearInterval(timer)
    }, 1000)
    return () => clearInterval(timer)
  }, [end])
  return Math.max(0, Math.ceil((end - Date.now()) / 1000))
}
