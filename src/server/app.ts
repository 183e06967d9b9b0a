import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Authenticate } from '../../rest/authorize.ts'
import { readDocument } from '../../rest/document.ts'
import { mountRest } from '../../rest/mount.ts'
import type { KeyActor } from '../access/actor.ts'
import { mountElevenlabs } from '../elevenlabs/mount-elevenlabs.ts'
import { mountStreamInput } from '../elevenlabs/stream-input.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { Authentication } from '../graphql/http/answer.ts'
import { bodyLimitOf } from '../graphql/http/long-bodies.ts'
import { mountGraphql } from '../graphql/http/yoga.ts'
import { MAX_GRAPHQL_BODY_BYTES } from '../graphql/limits/limits.ts'
import { openBodyBudget } from '../http/body-budget.ts'
import { SAFETY_HEADERS } from '../http/headers.ts'
import { MAX_BODY_BYTES } from '../http/json-body.ts'
import { trustedProxies } from '../http/trusted-proxies.ts'
import { GRAPHQL_PATH, leavesHttp, mountSocketServer } from '../http/web-sockets.ts'
import { mountOpenai } from '../openai/mount-openai.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { createAuthenticate, createGraphqlAuthentication, createKeyIdentification } from './authenticate.ts'
import {
  breakMiscountedBodies,
  endStalledReaders,
  hangUpWhileClosing,
  isBehindLast,
  mendConnectionEnds,
  STALLED_READER_MS,
  sendInPieces,
} from './connections.ts'
import { mountCsvFiles, mountVoiceUpload } from './console/console-files.ts'
import { mountFederation } from './console/federation.ts'
import { mountConsole } from './console/mount-console.ts'
import { mountCors } from './cors.ts'
import { mountDocs } from './docs.ts'
import { mountErrors, REQUEST_ID_HEADER, requestIdOf } from './errors-to-json.ts'
import { mountHome } from './home.ts'
import { answerMalformedHttp, answerTunnel, answerUnknownExpectation, hostViolation } from './malformed-http.ts'
import { mountMedia } from './media.ts'
import { measureRequests } from './metrics/measure-requests.ts'
import { createRateLimit } from './rate-limit.ts'
import { closeWhileDraining, mountHealth, Readiness } from './readiness.ts'
import { mountSpeech } from './speech.ts'
import { createBadAddress, mountUnrouted } from './unrouted.ts'
import { logRequests, traceRequests } from './watch-requests.ts'

const REQUEST_TIMEOUT_MS = 60_000
const MAX_PARAM_CHARACTERS = 32_768

interface AppOptions {
  readonly stalledReaderMs?: number
  readonly readiness?: Readiness
  readonly consoleFolder?: string
}

/** Builds the HTTP server with every API. `close()` lets running requests finish and ends idle connections. */
export async function buildApp(runtime: Runtime, options: AppOptions = {}): Promise<FastifyInstance> {
  const app = createServer(runtime.settings)
  const rateLimit = createRateLimit(runtime.settings.rateLimitPerMinute, runtime.telemetry)
  const authenticate = createAuthenticate(runtime, rateLimit)
  const readiness = options.readiness ?? new Readiness(runtime)
  mendConnectionEnds(app.server)
  traceRequests(app)
  closeWhileDraining(app, readiness)
  mountCors(app, runtime.settings.corsOrigins)
  mountFirstHook(app, authenticate)
  sendInPieces(app)
  breakMiscountedBodies(app)
  measureRequests(app, runtime.telemetry)
  const isSending = endStalledReaders(app.server, options.stalledReaderMs ?? STALLED_READER_MS)
  mountErrors(app, runtime.log)
  if (runtime.settings.logRequests) logRequests(app, runtime.log)
  mountHealth(app, readiness)
  mountSpeech(app, runtime)
  mountMedia(app, runtime)
  const document = await readDocument(runtime.settings.publicUrl)
  await mountRest(app, runtime.as, document, authenticate)
  await mountOpenai(app, { as: runtime.as, authenticate })
  await mountElevenlabs(app, { as: runtime.as, authenticate })
  const authentication = createGraphqlAuthentication(runtime, authenticate, rateLimit)
  await mountSockets(app, runtime, authentication, createKeyIdentification(runtime, rateLimit))
  await mountConsoleParts(app, runtime, authentication)
  await mountDocs(app, document, runtime.settings.publicUrl)
  await mountConsole(app, {
    publicUrl: () => runtime.publicUrl,
    bucketUrl: runtime.settings.s3?.publicUrl ?? null,
    ...(options.consoleFolder !== undefined && { folder: options.consoleFolder }),
  })
  mountHome(app, () => runtime.publicUrl)
  // Slow readers must not delay a stopping process: it aborts exports at once and other answers after the grace time.
  hangUpWhileClosing(app, runtime.settings.shutdownSeconds * 1000, isSending)
  app.addHook('preClose', () => runtime.spill.close())
  app.addHook('preClose', async () => runtime.subscriptions.close())
  return app
}

/** Mounts what only the console uses. */
async function mountConsoleParts(app: FastifyInstance, runtime: Runtime, authentication: Authentication) {
  mountCsvFiles(app, runtime, authentication)
  mountFederation(app, runtime)
  await mountVoiceUpload(app, runtime, authentication)
}

/** Mounts the APIs that use WebSockets. */
async function mountSockets(
  app: FastifyInstance,
  runtime: Runtime,
  authentication: Authentication,
  identify: (key: string | undefined) => Promise<KeyActor>,
): Promise<void> {
  await app.register(async (scope) => {
    await mountSocketServer(scope, MAX_GRAPHQL_BODY_BYTES)
    await mountGraphql(scope, runtime, authentication)
    mountStreamInput(scope, { ...runtime, identify })
  })
}

function createServer({ trustedProxies: ranges, corsOrigins }: Runtime['settings']): FastifyInstance {
  const app = fastify({
    logger: false,
    trustProxy: trustedProxies(ranges),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: MAX_PARAM_CHARACTERS },
    http: { requireHostHeader: false, shouldUpgradeCallback: leavesHttp },
    rewriteUrl: ({ url = '/' }) => withoutTrailingSlash(url),
    genReqId: (request) => requestIdOf(request.headers),
    clientErrorHandler: (error, socket) => answerMalformedHttp(error, socket),
    frameworkErrors: createBadAddress(corsOrigins),
    // Fastify's own 503 has another shape.
    return503OnClosing: false,
  })
  app.server.on('checkExpectation', answerUnknownExpectation)
  app.server.on('connect', answerTunnel('GET, HEAD, POST, OPTIONS'))
  return app
}

/** Clients of OpenAI and ElevenLabs may append a slash to addresses below `/v1` and `/v2`. */
const withoutTrailingSlash = (url: string): string => url.replace(/^(\/v[12]\/[^?#]*[^?#/])\/(?=\?|#|$)/, '$1')

function mountFirstHook(app: FastifyInstance, authenticate: Authenticate): void {
  const unrouted = mountUnrouted(app, authenticate)
  const bodies = openBodyBudget()
  app.addHook('onRequest', (request, reply, done) => {
    if (isBehindLast(request.raw)) return void request.raw.socket.destroy()
    reply.header(REQUEST_ID_HEADER, request.id).headers(SAFETY_HEADERS)
    if (request.raw.headers.upgrade !== undefined) endAfterAnswer(request, reply)
    const violation = hostViolation(request.raw)
    if (violation !== null) {
      reply.raw.shouldKeepAlive = false
      return done(invalidRequest(violation))
    }
    const { bodyLimit = MAX_BODY_BYTES, url } = request.routeOptions
    const limit = url === GRAPHQL_PATH ? bodyLimitOf(request.headers, bodyLimit) : bodyLimit
    const unaffordable = leavesHttp(request.raw) ? null : bodies.admit(request.raw, reply.raw, request.ip, limit)
    if (unaffordable !== null) return done(unaffordable)
    if (!request.is404) return done()
    const error = unrouted.errorOf(request, reply)
    if (error instanceof Promise) error.then(done, done)
    else done(error)
  })
}

/**
 * The bytes behind an upgrade request need not be HTTP, so its answer closes the connection.
 * Node sets no timeout on a handshake that was refused after it left HTTP.
 */
function endAfterAnswer({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.raw.shouldKeepAlive = false
  if (leavesHttp(raw)) reply.raw.once('finish', () => raw.socket.destroy())
}
