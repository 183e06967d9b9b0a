import type { WebSocket } from '@fastify/websocket'
import { type AccountHolder, callerOf } from '../../access/actor.ts'

const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_CALLER = 1000

/** How many sockets are open in this process, all together and of each caller. */
interface SocketCount {
  /** false: there are too many already. */
  open(socket: WebSocket): boolean
  /** false: this caller has too many already. */
  admit(socket: WebSocket, caller: AccountHolder): boolean
}

export function openSocketCount(): SocketCount {
  const callers = new Map<string, number>()
  let total = 0
  return {
    open: (socket) => {
      if (total >= MAX_SOCKETS) return false
      total++
      socket.once('close', () => total--)
      return true
    },
    admit: (socket, caller) => {
      const callerId = callerOf(caller)
      const count = callers.get(callerId) ?? 0
      if (count >= MAX_SOCKETS_PER_CALLER) return false
      callers.set(callerId, count + 1)
      socket.once('close', () => {
        const left = (callers.get(callerId) ?? 1) - 1
        if (left === 0) callers.delete(callerId)
        else callers.set(callerId, left)
      })
      return true
    },
  }
}
