import type { WebSocket } from '@fastify/websocket'
import { type AccountHolder, callerOf } from '../../access/actor.ts'
import { Tally } from '../../concurrency/tally.ts'
import { networkOf } from '../../egress/network-of.ts'

const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_CALLER = 1000
/** However many keys and sessions it has. */
const MAX_SOCKETS_PER_ACCOUNT = 2500
/** Of those whose caller is not known yet: a client says it at once, and has three seconds. */
const MAX_UNKNOWN_PER_NETWORK = 1000
const MAX_UNKNOWN = 5000

/** How many sockets are open in this process: all together, of each caller and account, and of each network before their caller is known. */
export interface SocketCount {
  /** Counts a socket until it closes. @returns false where there are too many already */
  open(socket: WebSocket, address: string): boolean
  /** Counts it as one of its caller's. @returns false where the caller or its account has too many already */
  add(socket: WebSocket, caller: AccountHolder): boolean
}

/** Counts the open sockets of this process. */
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
