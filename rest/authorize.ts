import type { FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import { type Actor, type KeyActor, ownerOf } from '../src/access/actor.ts'
import { requireScope } from '../src/access/require.ts'
import { whileConnected } from '../src/http/client-disconnect.ts'
import { checkBodyHeaders, ignoreEmptyBody } from '../src/http/json-body.ts'
import { checkFormHeaders } from '../src/http/multipart-body.ts'
import { admitUpload } from '../src/library/change-voices.ts'
import type { ServiceContext } from '../src/runtime/services.ts'
import type { Operation } from './operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** null before the request is authorized. */
    ctx: ServiceContext | null
  }
}

/**
 * Authenticates a request and counts it against the key's quota.
 * @param key absent: the bearer of the request
 * @throws UNAUTHORIZED, RATE_LIMITED, UNAVAILABLE
 */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply, key?: string) => Promise<KeyActor>

export type As = (actor: Actor) => ServiceContext

interface Callers {
  readonly as: As
  readonly authenticate: Authenticate
}

interface Documented {
  readonly method: string
  readonly requestBody?: unknown
}

/** Runs before the body is read. @throws 401, 429, 403, 404, 413 and 415, in this order */
export function authorize(
  { scope, target, body }: Operation,
  { method, requestBody }: Documented,
  { as, authenticate }: Callers,
): onRequestAsyncHookHandler {
  const takesBody = requestBody !== undefined
  const isRead = method === 'get'
  return async (request, reply) => {
    const { bodyLimit } = request.routeOptions
    const ctx = as(await authenticate(request, reply))
    if (scope !== null) requireScope(ctx, scope)
    await target?.(ctx, { params: request.params as Record<string, string>, headers: request.headers })
    if (!takesBody) ignoreEmptyBody(request)
    if (takesBody && body === 'form') checkFormHeaders(request.headers)
    else if (takesBody) checkBodyHeaders(request.headers, body === 'list', bodyLimit)
    if (body === 'form') admitUpload(ctx, reply.raw)
    // Only reads stop at a disconnect; a write runs to its end.
    request.ctx = isRead ? { ...ctx, db: whileConnected(ctx.db, reply.raw, ownerOf(ctx.actor)) } : ctx
  }
}
