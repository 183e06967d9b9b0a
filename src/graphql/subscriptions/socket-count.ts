import type { WebSocket } from '@fastify/websocket'
import { type AccountHolder, callerOf } from '../../access/actor.ts'
import { Tally } from '../../concurrency/tally.ts'
import { networkOf } from '../../egress/network-of.ts'

const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_CALLER = 1000
const MAX_SOCKETS_PER_ACCOUNT = 2500
const MAX_UNKNOWN_PER_NETWORK = 1000
const MAX_UNKNOWN = 5000

export interface SocketCount {
  /** @returns false if there are too many */
  open(socket: WebSocket, address: string): boolean
  /** @returns false if there are too many */
  add(socket: WebSocket, caller: AccountHolder): boolean
}

export function openSocketCount(): SocketCount {
  const [known, unknown] = [new Tally(), new Tally()]
  const becomeKnown = new WeakMap<WebSocket, () => void>()
  return {
    open: (socket, address) => {
      const network = networkOf(address)
      const isFull = known.total + unknown.total >= MAX_SOCKETS || unknown.total >= MAX_UNKNOWN
      if (isFull || unknown.of(network) >= MAX_UNKNOWN_PER_NETWORK) return false
      const identified = unknown.add(network)
      becomeKnown.set(socket, identified)
      socket.once('close', identified)
      return true
    },
    add: (socket, caller) => {
      const [own, { accountId }] = [callerOf(caller), caller]
      if (known.of(own) >= MAX_SOCKETS_PER_CALLER || known.of(accountId) >= MAX_SOCKETS_PER_ACCOUNT) return false
      socket.once('close', known.add(own, accountId))
      becomeKnown.get(socket)?.()
      return true
    },
  }
}
