import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { CloseCode, type Context as SocketContext } from 'graphql-ws'
import { type AccountHolder, callerOf } from '../../access/actor.ts'
import { Tally } from '../../concurrency/tally.ts'
import { networkOf } from '../../egress/ip-ranges.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import type { Runtime } from '../../runtime/runtime.ts'

export const TRY_AGAIN_LATER = 1013
const TOO_MANY_REQUESTS = 4429
const MAX_SOCKETS = 10_000
const MAX_SOCKETS_PER_CALLER = 1000
const MAX_SOCKETS_PER_ACCOUNT = 2500
const MAX_UNKNOWN_PER_NETWORK = 1000
const MAX_UNKNOWN = 5000

/** @throws UNAUTHORIZED, RATE_LIMITED, UNAVAILABLE */
export type Identify = (request: FastifyRequest, authorization: string | undefined) => Promise<AccountHolder>

export type Connected = SocketContext<
  Record<string, unknown>,
  {
    readonly socket: WebSocket
    readonly request: FastifyRequest
    isKnown: boolean
  }
>

interface SocketCount {
  /** @returns false if there are too many */
  open(socket: WebSocket, address: string): boolean
  /** @returns false if there are too many */
  add(socket: WebSocket, caller: AccountHolder): boolean
}

/**
 * Answers `connection_init`.
 * @returns false: the socket closes with 4403
 */
export async function connectSocket(
  { callers }: Pick<Runtime, 'callers'>,
  connected: Connected,
  identify: Identify,
  count: SocketCount,
): Promise<boolean> {
  const { socket, request } = connected.extra
  try {
    const caller = await identify(request, authorizationOf(connected))
    // The close event has passed and would not release what is counted now.
    if (socket.readyState !== socket.OPEN) return false
    if (!count.add(socket, caller)) return reject(socket, TOO_MANY_REQUESTS, 'Too many connections')
    const unwatch = callers.watch(caller, [], () => socket.close(CloseCode.Forbidden, 'Forbidden'))
    socket.once('close', unwatch)
    connected.extra.isKnown = true
    return true
  } catch (error) {
    const { code } = toServiceError(error)
    if (code === 'UNAUTHORIZED' || code === 'FORBIDDEN') return false
    return reject(socket, code === 'RATE_LIMITED' ? TOO_MANY_REQUESTS : TRY_AGAIN_LATER, code)
  }
}

function reject(socket: WebSocket, code: number, reason: string): false {
  socket.close(code, reason)
  return false
}

export function authorizationOf({ connectionParams }: Connected): string | undefined {
  const given = connectionParams?.authorization ?? connectionParams?.Authorization
  return typeof given === 'string' ? given : undefined
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
