import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const CHECK_MS = 10_000
const MOST_BUSY = 0.1
const LARGE_YOUNG_BYTES = 32 * 2 ** 20

/**
 * Collects garbage once after each busy period, because V8 returns memory only under allocation pressure.
 * @param howBusy share of processor time since the last call
 * @returns a function that stops it
 */
export function collectWhenIdle(checkMs = CHECK_MS, howBusy = ownProcessorTime()): () => void {
  let isDue = true
  const timer = setInterval(() => {
    const isIdle = howBusy() < MOST_BUSY
    if (isIdle && isDue && youngBytes() >= LARGE_YOUNG_BYTES) collectAll()
    isDue = !isIdle
  }, checkMs).unref()
  return () => clearInterval(timer)
}

function ownProcessorTime(): () => number {
  let [used, at] = [process.cpuUsage(), performance.now()]
  return () => {
    const { user, system } = process.cpuUsage(used)
    const share = (user + system) / 1000 / (performance.now() - at)
    used = process.cpuUsage()
    at = performance.now()
    return share
  }
}

export const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0

/** Node.js exposes `gc` only to contexts that are created under this flag. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
