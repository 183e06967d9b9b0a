/** Lets so many in at once; the others wait in the order in which they came. */
export interface Slots {
  /** @throws the signal's reason when it is aborted while waiting */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** @param most how many may be in now, at least 1; asked whenever somebody comes or leaves */
export function openSlots(most: () => number): Slots {
  const waiting = new Set<() => void>()
  let inside = 0

  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (waiting.size === 0 && inside < most()) {
      inside++
      return
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
  }

  /** Whoever is let in counts at once: nobody who comes now overtakes. */
  const admit = (): void => {
    for (const next of waiting) {
      if (inside >= most()) return
      waiting.delete(next)
      inside++
      next()
    }
  }

  return {
    run: async (signal, work) => {
      await enter(signal)
      return work().finally(() => {
        inside--
        admit()
      })
    },
  }
}
