import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { payloadTooLarge } from '../errors/service-error.ts'
import { logFailure } from '../http/client-disconnect.ts'
import { checkBodyHeaders, MAX_BODY_BYTES, parseJsonBody } from '../http/json-body.ts'
import type { Log } from '../values/log.ts'
import type { SpeechBody } from './answer-speech.ts'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': '86400',
}

type Headers = Readonly<Record<string, string>>

interface DoorErrors {
  readonly log: Log
  /** Headers of every answer. */
  readonly open: Headers
  readonly codeOf: (thrown: unknown) => string
  readonly send: (request: FastifyRequest, reply: FastifyReply, thrown: unknown) => FastifyReply
}

interface SpeechRoute {
  /** In bytes. */
  readonly bodyLimit: number
  readonly authorize: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  readonly speak: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>
}

export interface SpeechAnswer extends SpeechBody {
  readonly jobId: string
  readonly contentType: string
}

/** Pages of every origin may call, because a key travels in a header and no cookie counts. */
export const openToPages = (exposed: string): Headers => ({
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed,
})

export function mountPreflights(scope: FastifyInstance, open: Headers, urls: readonly string[]): void {
  const preflight = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .code(204)
      .headers({ ...open, ...PREFLIGHT })
      .send()
  for (const url of urls) scope.options(url, { onRequest: preflight }, preflight)
}

/** Bodies are JSON, whatever their type says; `checkBodyHeaders` judges the type. An empty body of DELETE is none. */
export function mountJsonBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const
  scope.addContentTypeParser('*', options, async (request: FastifyRequest, body: Buffer) =>
    body.length === 0 && request.method === 'DELETE' ? undefined : parseJsonBody(body),
  )
}

/** Gives all errors of a scope the shape that its clients read. */
export function mountErrorShape(scope: FastifyInstance, { log, open, codeOf, send }: DoorErrors): void {
  scope.addHook('onRequest', async (_request, reply) => void reply.headers(open))
  scope.setErrorHandler((thrown, request, reply) => {
    if (!reply.raw.destroyed) logFailure(log, codeOf(thrown), thrown, { request, response: reply.raw })
    if (reply.hasHeader('connection')) reply.removeHeader('connection')
    return send(request, reply, thrown)
  })
}

export function mountSpeechRoute(
  scope: FastifyInstance,
  url: string,
  { bodyLimit, authorize, speak }: SpeechRoute,
): void {
  scope.post(url, {
    bodyLimit,
    errorHandler: (error) => {
      throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? payloadTooLarge(bodyLimit) : error
    },
    onRequest: async (request, reply) => {
      await authorize(request, reply)
      checkBodyHeaders(request.headers, false, bodyLimit)
    },
    handler: (request, reply) => speak(request, reply),
  })
}

/** @param more headers of the door's own */
export function sendSpeech(
  reply: FastifyReply,
  { jobId, contentType, length, body }: SpeechAnswer,
  more: Headers,
): FastifyReply {
  // The client sees a broken stream; an unhandled error event would crash the process.
  body.on('error', () => undefined)
  const headers = {
    'content-type': contentType,
    'x-sonant-job-id': jobId,
    'x-accel-buffering': 'no',
    'cache-control': 'no-store',
    ...more,
    ...(length !== undefined && { 'content-length': length }),
  }
  return reply.headers(headers).send(body)
}
