import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorHeaders, toServiceError } from '../errors/describe-error.ts'
import { SAFETY_HEADERS } from '../http/safety-headers.ts'
import { OPENAI_ROOT, sendOpenaiError } from '../openai/mount-openai.ts'
import { toOpenaiError } from '../openai/openai-error.ts'
import { createExpose } from './cors.ts'
import { errorBody } from './errors-to-json.ts'
import { REQUEST_ID_HEADER } from './request-id.ts'

/** Answers addresses that the router cannot parse. The server's hooks do not run for them. */
export function createBadAddress(corsOrigins: readonly string[]) {
  const expose = createExpose(corsOrigins)
  return (thrown: Error, request: FastifyRequest, reply: FastifyReply): void => {
    if (request.raw.headers.upgrade !== undefined) reply.raw.shouldKeepAlive = false
    reply.headers({ ...SAFETY_HEADERS, [REQUEST_ID_HEADER]: request.id })
    if (request.raw.url?.startsWith(`${OPENAI_ROOT}/`)) {
      sendOpenaiError(request, reply, toOpenaiError(thrown))
      return
    }
    expose(request, reply)
    const error = toServiceError(thrown)
    reply.code(error.status).headers(errorHeaders(error)).send(errorBody(error))
  }
}
