import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { CloseCode, type Context as SocketContext } from 'graphql-ws'
import type { AccountHolder } from '../../access/actor.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { SocketCount } from './socket-count.ts'

export const TRY_AGAIN_LATER = 1013
const TOO_MANY_REQUESTS = 4429

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
