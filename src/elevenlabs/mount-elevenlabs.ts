import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Actor, KeyActor } from '../access/actor.ts'
import { requireScope } from '../access/require.ts'
import { VOICE_SCOPE } from '../access/scopes.ts'
import { notFound } from '../errors/service-error.ts'
import { textBodyBytes } from '../http/json-body.ts'
import type { ServiceContext } from '../runtime/services.ts'
import {
  mountErrorShape,
  mountJsonBodies,
  mountPreflights,
  mountSpeechRoute,
  openToPages,
} from '../speech/mount-door.ts'
import { listElevenlabsModels, showSubscription, showUser } from './account.ts'
import { elevenlabsBody, toElevenlabsError } from './elevenlabs-error.ts'
import { speak, writeAudio, writeTimed, writeTimedLines } from './speak.ts'
import { readDialogue, readElevenlabsRequest } from './speech.ts'
import { listVoices, pageVoices, showVoice } from './voices.ts'

const KEY_HEADER = 'xi-api-key'
const OPEN = openToPages('x-request-id, x-sonant-job-id, retry-after, request-id, history-item-id, character-cost')
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

interface Params {
  readonly voice_id: string
}

/** Serves ElevenLabs' speech API. All errors below its paths have ElevenLabs' shape. */
export async function mountElevenlabs(app: FastifyInstance, callers: Callers): Promise<void> {
  app.addConstraintStrategy(KEY_CONSTRAINT)
  app.decorateRequest('elevenlabsCtx', null)
  await mountBelow(app, '/v1/text-to-speech', callers, (scope) => {
    mountSpeech(scope, callers, '/:voice_id', speak(readElevenlabsRequest, writeAudio))
    mountSpeech(scope, callers, '/:voice_id/stream', speak(readElevenlabsRequest, writeAudio))
    mountSpeech(scope, callers, '/:voice_id/with-timestamps', speak(readElevenlabsRequest, writeTimed))
    mountSpeech(scope, callers, '/:voice_id/stream/with-timestamps', speak(readElevenlabsRequest, writeTimedLines))
  })
  await mountBelow(app, '/v1/text-to-dialogue', callers, (scope) => {
    mountSpeech(scope, callers, '', speak(readDialogue, writeAudio))
    mountSpeech(scope, callers, '/stream', speak(readDialogue, writeAudio))
    mountSpeech(scope, callers, '/with-timestamps', speak(readDialogue, writeTimed))
    mountSpeech(scope, callers, '/stream/with-timestamps', speak(readDialogue, writeTimedLines))
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
    mountRead(scope, callers, '/v1/models', listElevenlabsModels, { [KEY_CONSTRAINT.name]: 'sent' })
  })
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
    mountJsonBodies(scope)
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
  const codeOf = (thrown: unknown) => toElevenlabsError(thrown).errorCode
  mountErrorShape(scope, { log, open: OPEN, codeOf, send: sendElevenlabsError })
}

async function authorize({ as, authenticate }: Callers, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const key = request.headers[KEY_HEADER]
  request.elevenlabsCtx = as(await authenticate(request, reply, typeof key === 'string' && key ? key : undefined))
  requireScope(request.elevenlabsCtx, VOICE_SCOPE)
}

function mountRead(
  scope: FastifyInstance,
  callers: Callers,
  url: string,
  read: Read,
  constraints?: Record<string, string>,
): void {
  scope.get(url, {
    ...(constraints && { constraints }),
    onRequest: (request, reply) => authorize(callers, request, reply),
    handler: async (request) => read(request.elevenlabsCtx as ServiceContext, request),
  })
  if (constraints === undefined) mountPreflights(scope, OPEN, [url])
}

function mountSpeech(scope: FastifyInstance, callers: Callers, url: string, answer: ReturnType<typeof speak>): void {
  const bodyLimit = textBodyBytes(callers.as({ kind: 'anonymous' }).settings.maxTextCharacters)
  const authorized = (request: FastifyRequest, reply: FastifyReply) => authorize(callers, request, reply)
  mountSpeechRoute(scope, url, { bodyLimit, authorize: authorized, speak: answer })
  mountPreflights(scope, OPEN, [url])
}
