const CHECK_MS = 100
const IDLE_CHECKS = 2
const LONGEST_WAIT_MS = 30_000

/**
 * Calls `warm` once when idle or after LONGEST_WAIT_MS, because compiling an engine takes all cores.
 * @returns a function that cancels it
 */
export function warmWhenIdle(warm: () => unknown, isBusy: () => boolean): () => void {
  const latest = performance.now() + LONGEST_WAIT_MS
  let idleChecks = 0
  const timer = setInterval(() => {
    idleChecks = isBusy() ? 0 : idleChecks + 1
    if (idleChecks < IDLE_CHECKS && performance.now() < latest) return
    clearInterval(timer)
    warm()
  }, CHECK_MS)
  return () => clearInterval(timer)
}
