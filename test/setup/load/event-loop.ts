import { readFileSync } from 'node:fs'

/** How often the loop is looked at. */
export const EVERY_MS = 5

/** How many milliseconds late each turn of the loop was by the process's own doing: what it waited for a core counts for the machine. */
export function watchEventLoop(): { count(): number; stop(): number[] } {
  const turns: number[] = []
  let [turn, waited] = [performance.now(), waitedForCore()]
  const timer = setInterval(() => {
    const [now, waitedNow] = [performance.now(), waitedForCore()]
    turns.push(now - turn - EVERY_MS - (waitedNow - waited))
    turn = now
    waited = waitedNow
  }, EVERY_MS)
  return {
    count: () => turns.length,
    stop: () => {
      clearInterval(timer)
      return turns
    },
  }
}

/** All but the worst hundredth of the turns stay below this. Without a turn the loop was held all the time. */
export function p99(turns: readonly number[]): number {
  return turns.toSorted((a, b) => a - b)[Math.floor(turns.length * 0.99)] ?? Number.POSITIVE_INFINITY
}

/** Milliseconds that the main thread was ready to run and no core was free; 0 where the system does not tell. */
function waitedForCore(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
