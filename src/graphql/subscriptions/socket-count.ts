import type { WebSocket } from '@fastify/websocket'
import { type AccountHolder, callerOf } from '../../access/actor.ts'

const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_CALLER = 1000

/** How many sockets are open in this process, all together and of each caller. */
export interface SocketCount {
  /** Counts a socket until it closes. @returns false where there are too many already */
  open(socket: WebSocket): boolean
  /** Counts it as one of its caller's. @returns false where the caller has too many already */
  add(socket: WebSocket, caller: AccountHolder): boolean
}

/** Counts the open sockets of each caller of this process. */
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
    add: (socket, caller) => {
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
