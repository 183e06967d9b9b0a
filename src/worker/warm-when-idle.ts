const CHECK_MS = 100
/** So many checks in a row must find nothing under way: what a process is about to take has not arrived at the first one. */
const IDLE_CHECKS = 2
/** A process that is never idle is warmed as well. */
const LONGEST_WAIT_MS = 30_000

/**
 * Calls `warm` once, as soon as this process does nothing else: compiling an engine takes all cores for a second, which deliveries that
 * waited for the process need more. The first text does not wait for it: it starts its engine itself.
 * @returns what calls it off
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
