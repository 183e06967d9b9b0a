import { useEffect, useRef } from 'preact/hooks'

/** The service's signatures are valid for 15 minutes. */
const FRESH_MS = 14 * 60_000
const AGAIN_MS = 30_000

/**
 * Has URLs signed again before they expire, for as long as they are shown, and again where that fails.
 * @param signed what holds them; null: nothing does
 */
export function useFreshUrls(signed: unknown, signAgain: () => void): void {
  const latest = useRef(signAgain)
  latest.current = signAgain
  useEffect(() => {
    if (signed === null) return
    const renew = (): void => {
      latest.current()
      timer = setTimeout(renew, AGAIN_MS)
    }
    let timer = setTimeout(renew, FRESH_MS)
    return () => clearTimeout(timer)
  }, [signed])
}
