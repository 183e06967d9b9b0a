import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../access/actor.ts'
import type { SessionCookie } from '../builder.ts'
import type { Identify } from '../subscriptions/connect-socket.ts'

export interface Authentication {
  /** Returns an anonymous actor without key and cookie. @throws UNAUTHORIZED, FORBIDDEN, RATE_LIMITED, UNAVAILABLE */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Actor>
  readonly identify: Identify
  cookieFor(reply: FastifyReply): SessionCookie
}
