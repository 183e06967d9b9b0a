import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { CloseCode, type Context as SocketContext } from 'graphql-ws'
import type { AccountHolder } from '../../access/actor.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { SocketCount } from './socket-count.ts'

export const TRY_AGAIN_LATER = 1013
const TOO_MANY_REQUESTS = 4429

/** The caller with this Authorization header and these cookies, counted against its quota. @throws UNAUTHORIZED, RATE_LIMITED, UNAVAILABLE */
export type Identify = (request: FastifyRequest, authorization: string | undefined) => Promise<AccountHolder>

/** What graphql-ws keeps of a socket. */
export type Connected = SocketContext<
  Record<string, unknown>,
  {
    readonly socket: WebSocket
    readonly request: FastifyRequest
    /** Its `connection_init` was accepted. */
    isKnown: boolean
  }
>

/**
 * Answers graphql-ws's `connection_init`. Without a good key the socket closes with 4403, as it does when the key is deleted while it
 * is open.
 * @returns false: the socket closes
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
    // Its close event has been emitted, and would not free what is counted from now on.
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

/** What a client sends for an Authorization header, which browsers cannot set for WebSockets. */
export function authorizationOf({ connectionParams }: Connected): string | undefined {
  const given = connectionParams?.authorization ?? connectionParams?.Authorization
  return typeof given === 'string' ? given : undefined
}
