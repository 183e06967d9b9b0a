import { keysOf, type LaneOptions } from '../queue/lane-limits.ts'

/** Lets so many attempts run at once per account and per receiver; the others wait their turn, holding neither socket nor claim. */
export interface AttemptGate {
  /** Runs `work` in its turn. @throws when the gate was closed or `signal` aborted before */
  pass<T>(lane: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>
  /** Sends away who waits. */
  close(): void
}

interface Waiting {
  readonly go: () => void
  readonly giveUp: (error: Error) => void
}

export function openAttemptGate({ perAccount, perReceiver }: LaneOptions): AttemptGate {
  const inside = new Map<string, number>()
  const waiting = new Map<string, Waiting[]>()
  let closed = false
  const hasRoom = (lane: string): boolean => {
    const [account, receiver] = keysOf(lane)
    return (inside.get(account) ?? 0) < perAccount && (inside.get(receiver) ?? 0) < perReceiver
  }
  const count = (lane: string, change: number): void => {
    for (const key of keysOf(lane)) {
      const left = (inside.get(key) ?? 0) + change
      if (left === 0) inside.delete(key)
      else inside.set(key, left)
    }
  }
  /** One place was given back: the first of each lane that shares a word with it may fit now. */
  const admit = (): void => {
    for (const [lane, queue] of waiting) {
      while (queue.length > 0 && hasRoom(lane)) {
        count(lane, 1)
        queue.shift()!.go()
      }
      if (queue.length === 0) waiting.delete(lane)
    }
  }
  const turn = (lane: string, signal: AbortSignal): Promise<void> => {
    if (closed || signal.aborted) return Promise.reject(new Error('the worker is stopping'))
    if (hasRoom(lane) && !waiting.has(lane)) {
      count(lane, 1)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const queue = waiting.get(lane) ?? []
      waiting.set(lane, queue)
      queue.push({ go: resolve, giveUp: reject })
    })
  }
  return {
    pass: async (lane, signal, work) => {
      await turn(lane, signal)
      try {
        signal.throwIfAborted()
        return await work()
      } finally {
        count(lane, -1)
        admit()
      }
    },
    close: () => {
      closed = true
      for (const { giveUp } of [...waiting.values()].flat()) giveUp(new Error('the worker is stopping'))
      waiting.clear()
    },
  }
}
