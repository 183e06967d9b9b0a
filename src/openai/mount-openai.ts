import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, KeyActor } from '../access/actor.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { JSON_TYPE } from '../errors/describe-error.ts'
import { notFound } from '../errors/service-error.ts'
import { clientDisconnect } from '../http/client-disconnect.ts'
import { rejectRepeatedKey } from '../http/headers.ts'
import { textBodyBytes } from '../http/json-body.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { answerSpeech, audioJson, collectTimed, createAnswer } from '../speech/answer-speech.ts'
import {
  mountErrorShape,
  mountJsonBodies,
  mountPreflights,
  mountSpeechRoute,
  openToPages,
  sendSpeech,
} from '../speech/mount-door.ts'
import { readSpeechRequest } from '../speech/speech-request.ts'
import { OPENAI_VOICES, readDelivery } from './delivery.ts'
import { mountLibrary } from './library.ts'
import { listModels, listOpenModels, listVoices, showModel } from './models.ts'
import { openaiBody, toOpenaiError } from './openai-error.ts'
import { SPEECH_TYPES, speechEvents, timesBeside } from './speech-answer.ts'

export const OPENAI_ROOT = '/v1'

const OPEN = openToPages('x-request-id, x-sonant-job-id, retry-after, x-should-retry, idempotency-replayed')
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
      mountJsonBodies(scope)
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
  scope.setNotFoundHandler(async () => {
    throw notFound()
  })
  const codeOf = (thrown: unknown) => toOpenaiError(thrown).errorCode
  mountErrorShape(scope, { log, open: OPEN, codeOf, send: sendOpenaiError })
}

export function sendOpenaiError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = toOpenaiError(thrown)
  const headers = { 'content-type': JSON_TYPE, ...OPEN, ...error.headers }
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
  const lists = ['/models', '/models/:id', '/audio/models', '/audio/voices', '/audio/voices/:id']
  mountPreflights(scope, OPEN, [...lists, '/audio/speech'])
}

function mountSpeech(scope: FastifyInstance, { as, authenticate }: Callers): void {
  const bodyLimit = textBodyBytes(as({ kind: 'anonymous' }).settings.maxTextCharacters)
  const authorize = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.openaiCtx = as(await authenticate(request, reply))
    requireScope(request.openaiCtx, VOICE_SCOPE)
  }
  mountSpeechRoute(scope, '/audio/speech', { bodyLimit, authorize, speak })
}

async function speak(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const ctx = request.openaiCtx as ServiceContext
  const gone = clientDisconnect(reply.raw)
  rejectRepeatedKey(request.raw)
  const key = request.headers['idempotency-key'] as string | undefined
  const body = (request.body ?? {}) as Record<string, unknown>
  const wanted = await readSpeechRequest(ctx, body, key, { standIns: OPENAI_VOICES, deliveryOf: readDelivery })
  const answer = await createAnswer(ctx, wanted, gone, async (created) => {
    const { jobId, replayed } = created
    if (wanted.isTimed) {
      const timed = await collectTimed(ctx, wanted, created, gone)
      const json = audioJson('audio', timed.audio, timesBeside(wanted, timed))
      return { jobId, replayed, contentType: JSON_TYPE, ...json }
    }
    const around = (bytes: AsyncIterable<Uint8Array>, written: () => Promise<void>) =>
      speechEvents(bytes, wanted.characters, written)
    const reader = { owner: requireAccount(ctx).accountId, response: reply.raw, gone, ...(wanted.isSse && { around }) }
    const contentType = wanted.isSse ? 'text/event-stream' : SPEECH_TYPES[wanted.format]
    return { jobId, replayed, contentType, ...(await answerSpeech(ctx.audio, wanted, created.speech, reader)) }
  })
  return sendSpeech(reply, answer, answer.replayed ? { 'idempotency-replayed': 'true' } : {})
}
