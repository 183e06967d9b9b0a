import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, KeyActor } from '../access/actor.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { JSON_TYPE } from '../errors/describe-error.ts'
import { notFound, payloadTooLarge } from '../errors/service-error.ts'
import { clientDisconnect, logFailure } from '../http/client-disconnect.ts'
import { rejectRepeatedKey } from '../http/headers.ts'
import { checkBodyHeaders, MAX_BODY_BYTES, parseJsonBody, textBodyBytes } from '../http/json-body.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { answerSpeech, audioJson, type CreatedSpeech, collectTimed, createAnswer } from '../speech/answer-speech.ts'
import { readSpeechRequest } from '../speech/speech-request.ts'
import { OPENAI_VOICES, readDelivery } from './delivery.ts'
import { mountLibrary } from './library.ts'
import { listModels, listOpenModels, listVoices, showModel } from './models.ts'
import { type OpenaiError, openaiBody, toOpenaiError } from './openai-error.ts'
import { SPEECH_TYPES, speechEvents, timesBeside } from './speech-answer.ts'

export const OPENAI_ROOT = '/v1'

const OPEN = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'x-request-id, x-sonant-job-id, retry-after, x-should-retry, idempotency-replayed',
}
const PREFLIGHT = {
  ...OPEN,
  'access-control-allow-methods': 'GET, HEAD, POST, DELETE',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': '86400',
}

const NO_KEY = /^\s*(Bearer\s*)?$/i

declare module 'fastify' {
  interface FastifyRequest {
    openaiCtx: ServiceContext | null
  }
}

interface Callers {
  readonly as: (actor: Actor) => ServiceContext
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<KeyActor>
}

/** Serves OpenAI's speech API. All errors below `/v1` have OpenAI's shape. */
export async function mountOpenai(app: FastifyInstance, callers: Callers): Promise<void> {
  await app.register(
    async (scope) => {
      scope.decorateRequest('openaiCtx', null)
      scope.removeAllContentTypeParsers()
      const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const
      scope.addContentTypeParser('*', options, async (request: FastifyRequest, body: Buffer) =>
        body.length === 0 && request.method === 'DELETE' ? undefined : parseJsonBody(body),
      )
      mountErrors(scope, callers)
      mountLists(scope, callers)
      mountSpeech(scope, callers)
      mountLibrary(scope, async (request, reply) => callers.as(await callers.authenticate(request, reply)))
    },
    { prefix: OPENAI_ROOT },
  )
}

function mountErrors(scope: FastifyInstance, { as }: Callers): void {
  const { log } = as({ kind: 'anonymous' })
  scope.addHook('onRequest', async (_request, reply) => void reply.headers(OPEN))
  scope.setNotFoundHandler(async () => {
    throw notFound()
  })
  scope.setErrorHandler((thrown, request, reply) => {
    const error = toOpenaiError(thrown)
    if (!reply.raw.destroyed) logFailure(log, error.errorCode, thrown, { request, response: reply.raw })
    if (reply.hasHeader('connection')) reply.removeHeader('connection')
    return sendOpenaiError(request, reply, error)
  })
}

export function sendOpenaiError(request: FastifyRequest, reply: FastifyReply, error: OpenaiError): FastifyReply {
  const headers = { 'content-type': 'application/json; charset=utf-8', ...OPEN, ...error.headers }
  return reply.code(error.status).header('x-request-id', request.id).headers(headers).send(openaiBody(error))
}

/** Clients may request the `/audio` lists without a key; they then show public entries only. */
function mountLists(scope: FastifyInstance, { as, authenticate }: Callers): void {
  const named = async (request: FastifyRequest, reply: FastifyReply): Promise<ServiceContext> => {
    const ctx = as(await authenticate(request, reply))
    requireScope(ctx, VOICE_SCOPE)
    return ctx
  }
  const anonymous = as({ kind: 'anonymous' })
  scope.get('/models', async (request, reply) => listModels(await named(request, reply)))
  scope.get<{ Params: { id: string } }>('/models/:id', async (request, reply) =>
    showModel(await named(request, reply), request.params.id),
  )
  scope.get('/audio/models', async () => listOpenModels(anonymous))
  scope.get<{ Querystring: { model?: unknown } }>('/audio/voices', async (request, reply) => {
    const { authorization = '' } = request.headers
    return listVoices(NO_KEY.test(authorization) ? anonymous : await named(request, reply), request.query.model)
  })
  for (const url of [
    '/models',
    '/models/:id',
    '/audio/models',
    '/audio/voices',
    '/audio/voices/:id',
    '/audio/speech',
  ]) {
    const preflight = async (_request: FastifyRequest, reply: FastifyReply) => reply.code(204).headers(PREFLIGHT).send()
    scope.options(url, { onRequest: preflight }, preflight)
  }
}

function mountSpeech(scope: FastifyInstance, { as, authenticate }: Callers): void {
  const bodyLimit = textBodyBytes(as({ kind: 'anonymous' }).settings.maxTextCharacters)
  scope.post('/audio/speech', {
    bodyLimit,
    errorHandler: (error) => {
      throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? payloadTooLarge(bodyLimit) : error
    },
    onRequest: async (request, reply) => {
      const ctx = as(await authenticate(request, reply))
      requireScope(ctx, VOICE_SCOPE)
      checkBodyHeaders(request.headers, false, bodyLimit)
      request.openaiCtx = ctx
    },
    handler: (request, reply) => speak(request, reply),
  })
}

async function speak(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const ctx = request.openaiCtx as ServiceContext
  const gone = clientDisconnect(reply.raw)
  rejectRepeatedKey(request.raw)
  const key = request.headers['idempotency-key'] as string | undefined
  const body = (request.body ?? {}) as Record<string, unknown>
  const wanted = await readSpeechRequest(ctx, body, key, { standIns: OPENAI_VOICES, deliveryOf: readDelivery })
  const answer = await createAnswer(ctx, wanted, gone, async (created) => {
    if (wanted.isTimed) {
      const timed = await collectTimed(ctx, wanted, created, gone)
      const { length, body: json } = audioJson('audio', timed.audio, timesBeside(wanted, timed))
      return { headers: { ...speechHeaders(created, JSON_TYPE), 'content-length': length }, body: json }
    }
    const around = (bytes: AsyncIterable<Uint8Array>, written: () => Promise<void>) =>
      speechEvents(bytes, wanted.characters, written)
    const reader = { owner: requireAccount(ctx).accountId, response: reply.raw, gone, ...(wanted.isSse && { around }) }
    const { length, body: sound } = await answerSpeech(ctx.audio, wanted, created.speech, reader)
    const headers = speechHeaders(created, wanted.isSse ? 'text/event-stream' : SPEECH_TYPES[wanted.format])
    return { headers: length === undefined ? headers : { ...headers, 'content-length': length }, body: sound }
  })
  // The client sees a broken stream; an unhandled error event would crash the process.
  answer.body.on('error', () => undefined)
  return reply.headers(answer.headers).send(answer.body)
}

const speechHeaders = ({ jobId, replayed }: CreatedSpeech, contentType: string) => ({
  'content-type': contentType,
  'x-sonant-job-id': jobId,
  'x-accel-buffering': 'no',
  'cache-control': 'no-store',
  ...(replayed && { 'idempotency-replayed': 'true' }),
})
