import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const CHECK_MS = 10_000
/** Processor time since the last check. */
const MOST_BUSY = 0.1
/** What V8 lets young objects have grows to 128 MB while a service starts or works, and falls to 4 MB in a collection of everything. */
const LARGE_YOUNG_BYTES = 32 * 2 ** 20

/**
 * Gives memory back to the system once this process has little to do, some 60 MB after a start: V8 alone collects everything when it needs
 * room, which an idle service does only after minutes. It takes some 30 ms of the event loop, once after each time of work.
 * @param howBusy the processor time that was used since the last call, as a share of the time that has passed
 * @returns what ends it
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

/** Not the event loop's utilization: where other processes take the processor, it counts waiting for it. */
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

/** Of both halves. */
export const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0

/** Node.js gives its collector to contexts that are made while this flag is set. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
