import { useEffect } from 'preact/hooks'

/** The service's signatures are valid for 15 minutes. */
const FRESH_MS = 14 * 60_000

/** Has URLs signed again before they expire, for as long as they are shown. @param signed what holds them; null: nothing does */
export function useFreshUrls(signed: unknown, signAgain: () => void): void {
  useEffect(() => {
    if (signed === null) return
    const timer = setTimeout(signAgain, FRESH_MS)
    return () => clearTimeout(timer)
  }, [signed])
}
