import type { Readable } from 'node:stream'
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
import {
  answerSpeech,
  audioJson,
  type CreatedSpeech,
  collectTimed,
  createAnswer,
  loadTimes,
} from '../speech/answer-speech.ts'
import { listElevenlabsModels, showSubscription, showUser } from './account.ts'
import { alignedLines, alignmentsBeside } from './alignment.ts'
import { elevenlabsBody, toElevenlabsError } from './elevenlabs-error.ts'
import { readElevenlabsRequest, type WantedSpeech } from './speech.ts'
import { listVoices, pageVoices, showVoice } from './voices.ts'

const KEY_HEADER = 'xi-api-key'
const EXPOSED = 'x-request-id, x-sonant-job-id, retry-after, request-id, history-item-id, character-cost'
const OPEN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED }
const PREFLIGHT = {
  ...OPEN,
  'access-control-allow-methods': 'GET, HEAD, POST',
  'access-control-allow-headers': '*, authorization',
  'access-control-max-age': '86400',
}
const PATHS = /^\/(v1\/(text-to-speech|text-to-dialogue|voices|user)|v2\/voices)(?=[/?#]|$)/

/** Lets a path answer in another way if the client sends ElevenLabs' header. */
const KEY_CONSTRAINT = {
  name: 'elevenlabsKey',
  mustMatchWhenDerived: false,
  storage: () => new Map(),
  validate: () => undefined,
  deriveConstraint: ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
    headers[KEY_HEADER] === undefined ? undefined : 'sent',
}

declare module 'fastify' {
  interface FastifyRequest {
    elevenlabsCtx: ServiceContext | null
  }
}

interface Callers {
  readonly as: (actor: Actor) => ServiceContext
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply, key?: string) => Promise<KeyActor>
}

type Read = (ctx: ServiceContext, request: FastifyRequest) => unknown
type Write = (ctx: ServiceContext, speech: Spoken) => Promise<Answer>

interface Spoken {
  readonly wanted: WantedSpeech
  readonly created: CreatedSpeech
  readonly gone: AbortSignal
  readonly reply: FastifyReply
}

interface Answer {
  readonly contentType: string
  /** In bytes. */
  readonly length?: number | undefined
  readonly body: Readable
}

/** Serves ElevenLabs' speech API. All errors below its paths have ElevenLabs' shape. */
export async function mountElevenlabs(app: FastifyInstance, callers: Callers): Promise<void> {
  app.addConstraintStrategy(KEY_CONSTRAINT)
  app.decorateRequest('elevenlabsCtx', null)
  await mountBelow(app, '/v1/text-to-speech', callers, (scope) => {
    mountSpeech(scope, callers, '/:voice_id', writeAudio)
    mountSpeech(scope, callers, '/:voice_id/stream', writeAudio)
    mountSpeech(scope, callers, '/:voice_id/with-timestamps', writeTimed)
    mountSpeech(scope, callers, '/:voice_id/stream/with-timestamps', writeTimedLines)
  })
  await mountBelow(app, '/v1/voices', callers, (scope) => {
    mountRead(scope, callers, '', listVoices)
    mountRead(scope, callers, '/:voice_id', (ctx, { params }) => showVoice(ctx, (params as Params).voice_id))
  })
  await mountBelow(app, '/v2/voices', callers, (scope) =>
    mountRead(scope, callers, '', (ctx, { query }) => pageVoices(ctx, query as Record<string, unknown>)),
  )
  await mountBelow(app, '/v1/user', callers, (scope) => {
    mountRead(scope, callers, '', showUser)
    mountRead(scope, callers, '/subscription', showSubscription)
  })
  await app.register(async (scope) => {
    mountErrors(scope, callers)
    const constraints = { [KEY_CONSTRAINT.name]: 'sent' }
    const onRequest = async (request: FastifyRequest, reply: FastifyReply) => authorize(callers, request, reply)
    scope.get('/v1/models', { constraints, onRequest }, async ({ elevenlabsCtx }) =>
      listElevenlabsModels(elevenlabsCtx as ServiceContext),
    )
  })
}

interface Params {
  readonly voice_id: string
}

/** True for addresses whose errors have ElevenLabs' shape. */
export const isElevenlabsPath = (url: string): boolean => PATHS.test(url)

export function sendElevenlabsError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = toElevenlabsError(thrown)
  const headers = { ...OPEN, ...error.headers, 'x-request-id': request.id, 'request-id': request.id }
  return reply.code(error.httpStatus).headers(headers).send(elevenlabsBody(error))
}

async function mountBelow(
  app: FastifyInstance,
  prefix: string,
  callers: Callers,
  mount: (scope: FastifyInstance) => void,
): Promise<void> {
  const below = async (scope: FastifyInstance): Promise<void> => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const
    scope.addContentTypeParser('*', options, async (_request: FastifyRequest, body: Buffer) => parseJsonBody(body))
    scope.setNotFoundHandler(async () => {
      throw notFound()
    })
    mountErrors(scope, callers)
    mount(scope)
  }
  await app.register(below, { prefix })
}

function mountErrors(scope: FastifyInstance, { as }: Callers): void {
  const { log } = as({ kind: 'anonymous' })
  scope.addHook('onRequest', async (_request, reply) => void reply.headers(OPEN))
  scope.setErrorHandler((thrown, request, reply) => {
    const { errorCode } = toElevenlabsError(thrown)
    if (!reply.raw.destroyed) logFailure(log, errorCode, thrown, { request, response: reply.raw })
    if (reply.hasHeader('connection')) reply.removeHeader('connection')
    return sendElevenlabsError(request, reply, thrown)
  })
}

async function authorize({ as, authenticate }: Callers, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const key = request.headers[KEY_HEADER]
  const ctx = as(await authenticate(request, reply, typeof key === 'string' && key !== '' ? key : undefined))
  requireScope(ctx, VOICE_SCOPE)
  request.elevenlabsCtx = ctx
}

function mountRead(scope: FastifyInstance, callers: Callers, url: string, read: Read): void {
  scope.get(url, {
    onRequest: (request, reply) => authorize(callers, request, reply),
    handler: async (request) => read(request.elevenlabsCtx as ServiceContext, request),
  })
  mountPreflight(scope, url)
}

function mountPreflight(scope: FastifyInstance, url: string): void {
  const preflight = async (_request: FastifyRequest, reply: FastifyReply) => reply.code(204).headers(PREFLIGHT).send()
  scope.options(url, { onRequest: preflight }, preflight)
}

function mountSpeech(scope: FastifyInstance, callers: Callers, url: string, write: Write): void {
  const bodyLimit = textBodyBytes(callers.as({ kind: 'anonymous' }).settings.maxTextCharacters)
  scope.post(url, {
    bodyLimit,
    errorHandler: (error) => {
      throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? payloadTooLarge(bodyLimit) : error
    },
    onRequest: async (request, reply) => {
      await authorize(callers, request, reply)
      checkBodyHeaders(request.headers, false, bodyLimit)
    },
    handler: (request, reply) => speak(request, reply, write),
  })
  mountPreflight(scope, url)
}

async function speak(request: FastifyRequest, reply: FastifyReply, write: Write): Promise<FastifyReply> {
  const ctx = request.elevenlabsCtx as ServiceContext
  const gone = clientDisconnect(reply.raw)
  rejectRepeatedKey(request.raw)
  const wanted = await readElevenlabsRequest(ctx, {
    voiceId: (request.params as Params).voice_id,
    body: (request.body ?? {}) as Record<string, unknown>,
    query: request.query as Record<string, unknown>,
    idempotencyKey: request.headers['idempotency-key'] as string | undefined,
  })
  const answer = await createAnswer(ctx, wanted, gone, async (created) => ({
    jobId: created.jobId,
    ...(await write(ctx, { wanted, created, gone, reply })),
  }))
  // The client sees a broken stream; an unhandled error event would crash the process.
  answer.body.on('error', () => undefined)
  const headers = {
    'content-type': answer.contentType,
    'request-id': request.id,
    'history-item-id': answer.jobId,
    'character-cost': String(wanted.characters),
    'x-sonant-job-id': answer.jobId,
    'x-accel-buffering': 'no',
    'cache-control': 'no-store',
    ...(answer.length !== undefined && { 'content-length': answer.length }),
  }
  return reply.headers(headers).send(answer.body)
}

const readerOf = (ctx: ServiceContext, { gone, reply }: Spoken) => ({
  owner: requireAccount(ctx).accountId,
  response: reply.raw,
  gone,
})

async function writeAudio(ctx: ServiceContext, spoken: Spoken): Promise<Answer> {
  const { file } = spoken.wanted
  const sound = await answerSpeech(ctx.audio, file, spoken.created.speech, readerOf(ctx, spoken))
  return { contentType: file.contentType, ...sound }
}

async function writeTimed(ctx: ServiceContext, { wanted, created, gone }: Spoken): Promise<Answer> {
  const timed = await collectTimed(ctx, wanted.file, created, gone)
  return { contentType: JSON_TYPE, ...audioJson('audio_base64', timed.audio, alignmentsBeside(timed)) }
}

async function writeTimedLines(ctx: ServiceContext, spoken: Spoken): Promise<Answer> {
  const { wanted, created } = spoken
  const around = (bytes: AsyncIterable<Uint8Array>) => alignedLines(bytes, () => loadTimes(ctx, created.jobId))
  const lines = await answerSpeech(ctx.audio, wanted.file, created.speech, { ...readerOf(ctx, spoken), around })
  return { contentType: JSON_TYPE, ...lines }
}
