/** Lets so many in at once; the others wait in the order in which they came. */
export interface Semaphore {
  /** How many are in now. */
  readonly inside: number
  /** How many wait. */
  readonly waiting: number
  /** Waits to be let in, and returns what leaves again, once however often it is called. @throws the signal's reason when it is aborted while waiting */
  enter(signal: AbortSignal): Promise<() => void>
  /** Is in while `work` lasts. @throws the signal's reason when it is aborted while waiting */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** To be called when more may be in than before. */
  widen(): void
}

/** @param most how many may be in now; asked whenever a request comes or leaves */
export function openSemaphore(most: () => number): Semaphore {
  const waiting = new Set<() => void>()
  let inside = 0

  const enter = async (signal: AbortSignal): Promise<() => void> => {
    signal.throwIfAborted()
    if (waiting.size === 0 && inside < most()) {
      inside++
      return leaveOnce()
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      waiting.delete(resolve)
      reject(signal.reason)
    }
    waiting.add(resolve)
    signal.addEventListener('abort', abort, { once: true })
    admit()
    await promise.finally(() => signal.removeEventListener('abort', abort))
    return leaveOnce()
  }

  const leaveOnce = (): (() => void) => {
    let isInside = true
    return () => {
      if (!isInside) return
      isInside = false
      inside--
      admit()
    }
  }

  /** An admitted request counts at once: none that comes now overtakes. */
  const admit = (): void => {
    for (const next of waiting) {
      if (inside >= most()) return
      waiting.delete(next)
      inside++
      next()
    }
  }

  return {
    get inside() {
      return inside
    },
    get waiting() {
      return waiting.size
    },
    widen: admit,
    enter,
    run: async (signal, work) => {
      const leave = await enter(signal)
      return work().finally(leave)
    },
  }
}
