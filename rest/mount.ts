import { Readable } from 'node:stream'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import {
  type Context as ApiContext,
  type Operation as ApiOperation,
  type Request as ApiRequest,
  OpenAPIBackend,
  type ParsedRequest,
} from 'openapi-backend'
import type { Actor, KeyActor } from '../src/access/actor.ts'
import { JSON_TYPE } from '../src/errors/describe-error.ts'
import { invalidRequest, notFound, unauthorized } from '../src/errors/service-error.ts'
import { clientDisconnect, whileConnected } from '../src/http/client-disconnect.ts'
import { OPEN_ANSWER, OPEN_TO_ALL, PREFLIGHT } from '../src/http/cors.ts'
import { checkBodyHeaders, MAX_BODY_BYTES, parseJsonBody } from '../src/http/json-body.ts'
import type { ServiceContext } from '../src/runtime/services.ts'
import { admit } from './admission.ts'
import { API_ROOT, type Document, requestsOf } from './document.ts'
import { type Answer, type Call, type Operation, operations } from './operations.ts'
import { type Query, readQuery, refuseRepeatedKey } from './parameters.ts'
import { detailsOf } from './validation-details.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks, once the request was let in; null before. */
    ctx: ServiceContext | null
  }
}

/** Lets a request in: who sends it, counted against the key's quota. The server knows how. @throws UNAUTHORIZED, RATE_LIMITED, UNAVAILABLE */
export type Enter = (request: FastifyRequest, reply: FastifyReply) => Promise<KeyActor>

/** The runtime as the context of an actor. */
type As = (actor: Actor) => ServiceContext

/** The request as openapi-backend sees it: routed and parsed by fastify. */
interface RoutedRequest extends Omit<ParsedRequest, 'requestBody'> {
  readonly operation: ApiOperation
}

/** The REST door: fastify routes, openapi-backend checks requests, a verb answers. */
export async function mountRest(app: FastifyInstance, as: As, document: Document, enter: Enter): Promise<void> {
  const api = await openApi(document)
  await app.register(
    async (scope) => {
      scope.decorateRequest('ctx', null)
      scope.removeAllContentTypeParsers()
      const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const
      scope.addContentTypeParser('*', options, async (_request: FastifyRequest, body: Buffer) => parseJsonBody(body))
      for (const operation of api.router.getOperations()) {
        if (operation.security?.length) mountSecured(scope, api, operation, admission(operation, as, enter))
        else mountPublic(scope, operation, as({ kind: 'anonymous' }))
      }
    },
    { prefix: API_ROOT },
  )
}

async function openApi(document: Document): Promise<OpenAPIBackend> {
  const api: OpenAPIBackend = new OpenAPIBackend({
    definition: requestsOf(document),
    apiRoot: API_ROOT,
    strict: true,
    // Compiles what a route needs when it is first asked for, and leaves the document's own validity to a test: it knows 3.0 only.
    quick: true,
    // Formats are annotations here: what a webhook_url may be is for the verb to say, through every door.
    ajvOpts: { strict: false, strictNumbers: true, allErrors: true, validateFormats: false },
    // Queries come typed: coercion would take 1e1 for 10. The document's own check is a test, half a second at every start here.
    customizeAjv: (_ajv, options) =>
      new Ajv2020({ ...options, coerceTypes: false, meta: false, validateSchema: false }),
    securityHandlers: { apiKey: (_api: ApiContext, request: FastifyRequest) => request.ctx?.actor.kind === 'key' },
    handlers: { ...apiHandlers(), ...refusals },
  })
  await api.init()
  const all = api.router.getOperations()
  const byId = new Map(all.map((operation) => [operation.operationId, operation]))
  // All of it is worked out anew, some of it three times, for every request otherwise.
  api.router.getOperations = () => all
  api.router.getOperation = (id) => byId.get(id)
  api.router.matchOperation = (request: ApiRequest) => (request as RoutedRequest).operation
  api.router.parseRequest = (request: ApiRequest) => ({ ...(request as RoutedRequest), requestBody: request.body })
  return api
}

const refusals = {
  notFound: () => {
    throw notFound()
  },
  unauthorizedHandler: () => {
    throw unauthorized()
  },
  validationFail: ({ validation }: ApiContext) => {
    throw invalidRequest('Invalid request: see `details`.', detailsOf(validation.errors ?? []))
  },
  postResponseHandler: ({ response }: ApiContext, _request: FastifyRequest, reply: FastifyReply) =>
    send(reply, response as Answer),
}

function apiHandlers() {
  const entries = Object.entries(operations as Record<string, Operation>)
  return Object.fromEntries(
    entries.map(([id, operation]) => [
      id,
      ({ request: { query } }: ApiContext, request: FastifyRequest, reply: FastifyReply) =>
        operation(callOf(request, reply, query as Query)),
    ]),
  )
}

function callOf(request: FastifyRequest, reply: FastifyReply, query: Query): Call {
  if (request.ctx === null) throw unauthorized()
  const { headers, body } = request
  return { ctx: request.ctx, params: paramsOf(request), query, headers, body, gone: () => clientDisconnect(reply.raw) }
}

const paramsOf = (request: FastifyRequest) => request.params as Record<string, string>

/** 401, 429, 403, 404, 413 and 415, in this order and before the body is read. */
function admission(operation: ApiOperation, as: As, enter: Enter): onRequestAsyncHookHandler {
  const takesBody = operation.requestBody !== undefined
  const isRead = operation.method === 'get'
  return async (request, reply) => {
    const ctx = as(await enter(request, reply))
    // What writes runs to its end: it is whole or not at all.
    request.ctx = isRead ? { ...ctx, db: whileConnected(ctx.db, reply.raw) } : ctx
    await admit(operation.operationId, ctx, paramsOf(request), request.headers['idempotency-key'] as string | undefined)
    if (takesBody) checkBodyHeaders(request.headers)
  }
}

function mountSecured(
  scope: FastifyInstance,
  api: OpenAPIBackend,
  operation: ApiOperation,
  onRequest: onRequestAsyncHookHandler,
): void {
  const takesBody = operation.requestBody !== undefined
  scope.route({
    method: operation.method.toUpperCase(),
    url: fastifyPath(operation.path),
    config: { secured: true },
    onRequest,
    handler: async (request, reply) => {
      if (takesBody && request.body === undefined) throw invalidRequest('Send a JSON object as the body.')
      refuseRepeatedKey(request.raw)
      const { method, url, body, headers } = request
      const query = readQuery(operation, request.query as Record<string, unknown>)
      const parsed = { params: paramsOf(request), query: query as RoutedRequest['query'], cookies: {} }
      const routed: RoutedRequest = { method, path: url, body, headers, ...parsed, operation }
      return api.handleRequest(routed, request, reply)
    },
  })
}

function mountPublic(scope: FastifyInstance, { operationId, path }: ApiOperation, ctx: ServiceContext): void {
  const operation = (operations as Record<string, Operation>)[operationId ?? '']
  if (operation === undefined) throw new Error(`no operation answers ${operationId}`)
  const gone = () => new AbortController().signal
  // There is nothing to check, so openapi-backend is left out: this is the path that everybody's caches ask for.
  const answer = (request: FastifyRequest) =>
    operation({ ctx, params: paramsOf(request), query: {}, headers: request.headers, body: undefined, gone }) as Answer
  mountOpen(scope, fastifyPath(path), answer)
}

/** GET, HEAD and CORS preflight for every origin, without a key. `answer` is synchronous: it serves from memory. */
export function mountOpen(scope: FastifyInstance, url: string, answer: (request: FastifyRequest) => Answer): void {
  const errorHandler = (error: unknown, _request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(OPEN_TO_ALL)
    throw error
  }
  scope.get(url, { errorHandler }, (request, reply) => sendOpen(reply, answer(request)))
  // Answered in the hook: fastify would read and judge a body otherwise.
  const preflight = async (_request: FastifyRequest, reply: FastifyReply) => reply.code(204).headers(PREFLIGHT).send()
  scope.options(url, { onRequest: preflight }, preflight)
}

function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  if (headers !== undefined) reply.headers(headers)
  if (!(body instanceof Readable))
    return reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body))
  // An export waits for slow readers for longer (spill-reader.ts), and not at the database's expense.
  reply.raw.setTimeout(0)
  if (reply.request.method !== 'HEAD') return reply.code(status).send(body)
  // HEAD wants to know what would come: nothing more is read for it. Without a stream fastify would tell its length to be 0.
  body.destroy()
  return reply.code(status).send(Readable.from([]))
}

/** Straight to node: fastify's bookkeeping of headers costs more than the answer itself, which is ready in memory. */
function sendOpen(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  const type = body === null ? {} : { 'content-type': JSON_TYPE, 'content-length': (body as Buffer).length }
  reply
    .hijack()
    .raw.writeHead(status, { 'x-request-id': reply.request.id, ...OPEN_ANSWER, ...headers, ...type })
    .end(body)
  return reply
}

const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')
