import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../access/actor.ts'
import { MAX_TEXT_CHARACTERS } from '../../catalog/voice-endpoint.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { BYTES_PER_CHARACTER, MAX_BODY_BYTES } from '../../http/json-body.ts'
import { MAX_GRAPHQL_BODY_BYTES } from '../limits/limits.ts'
import type { Authentication } from './answer.ts'

/** The longest body where texts have so many characters, in bytes; a chapter of a project has room in any. */
export const longestBodyBytes = (maxTextCharacters: number): number =>
  Math.max(
    MAX_BODY_BYTES,
    MAX_GRAPHQL_BODY_BYTES + BYTES_PER_CHARACTER * Math.max(0, maxTextCharacters - MAX_TEXT_CHARACTERS),
  )

const isLong = ({ 'content-length': length }: IncomingHttpHeaders): boolean => Number(length) > MAX_GRAPHQL_BODY_BYTES

/** A body may be longer than 100 KiB only if it declares its length. */
export const bodyLimitOf = (headers: IncomingHttpHeaders, longestBytes: number): number =>
  isLong(headers) ? longestBytes : MAX_GRAPHQL_BODY_BYTES

export const bodyTooLong = (mostBytes: number): ServiceError =>
  new ServiceError('PAYLOAD_TOO_LARGE', `Send a body of at most ${Math.floor(mostBytes / 1024)} KiB.`)

/** Security: long bodies take much memory, so their callers are identified before the bodies are read. */
export function takeLongBodies(authentication: Authentication) {
  const callers = new WeakMap<FastifyRequest, Actor>()
  return {
    hooks: {
      onRequest: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        if (!isLong(request.headers)) return
        const actor = await authentication.authenticate(request, reply)
        if (actor.kind === 'anonymous') throw bodyTooLong(MAX_GRAPHQL_BODY_BYTES)
        callers.set(request, actor)
      },
      preParsing: async ({ headers }: FastifyRequest, _reply: FastifyReply, body: Readable): Promise<Readable> =>
        headers['transfer-encoding'] === undefined ? body : Readable.from(shortened(body), { objectMode: false }),
    },
    authentication: {
      ...authentication,
      authenticate: async (request: FastifyRequest, reply: FastifyReply) =>
        callers.get(request) ?? authentication.authenticate(request, reply),
    },
  }
}

/** @throws PAYLOAD_TOO_LARGE */
async function* shortened(body: Readable): AsyncGenerator<Buffer> {
  let bytes = 0
  // Otherwise the connection would end before the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_GRAPHQL_BODY_BYTES) throw bodyTooLong(MAX_GRAPHQL_BODY_BYTES)
    yield chunk as Buffer
  }
}
