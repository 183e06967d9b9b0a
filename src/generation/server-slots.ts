/** Keeps what this process has in flight on one server within that server's limit, first come, first served. */
export interface ServerSlots {
  /** Waits for a free slot of the server, and returns what frees it again. @throws the signal's reason when aborted while waiting */
  enter(server: string, slots: number, signal: AbortSignal): Promise<() => void>
}

interface Line {
  inFlight: number
  readonly waiting: (() => void)[]
}

export function openServerSlots(): ServerSlots {
  const lines = new Map<string, Line>()
  return {
    enter: async (server, slots, signal) => {
      const line = lines.get(server) ?? { inFlight: 0, waiting: [] }
      lines.set(server, line)
      while (line.inFlight >= slots) await turn(line, signal)
      line.inFlight++
      return () => {
        line.inFlight--
        line.waiting.shift()?.()
      }
    },
  }
}

function turn(line: Line, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const leave = () => {
      line.waiting.splice(line.waiting.indexOf(next), 1)
      reject(signal.reason)
    }
    const next = () => {
      signal.removeEventListener('abort', leave)
      resolve()
    }
    signal.addEventListener('abort', leave, { once: true })
    line.waiting.push(next)
  })
}
