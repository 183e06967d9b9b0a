/** Lets so many in at once; the others wait in the order in which they came. */
export interface Slots {
  /** @throws the signal's reason when it is aborted while waiting */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

export function openSlots(most: number): Slots {
  const waiting = new Set<() => void>()
  let free = most

  const enter = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (free > 0) {
      free--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      waiting.delete(resolve)
      reject(signal.reason)
    }
    waiting.add(resolve)
    signal.addEventListener('abort', abort, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', abort))
  }

  const leave = (): void => {
    const [next] = waiting
    if (next === undefined) free++
    else {
      // The slot changes hands without ever being free: nobody who comes now overtakes.
      waiting.delete(next)
      next()
    }
  }

  return {
    run: async (signal, work) => {
      await enter(signal)
      return work().finally(leave)
    },
  }
}
