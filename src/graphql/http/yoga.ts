import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ExecutionResult, GraphQLSchema } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Actor } from '../../access/actor.ts'
import { BoundedCache } from '../../concurrency/bounded-cache.ts'
import { errorHeaders, toServiceError } from '../../errors/describe-error.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { parseJsonBody } from '../../http/json-body.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GraphqlContext, SessionCookie } from '../builder.ts'
import { deadline } from '../limits/deadline.ts'
import { limits } from '../limits/limit-plugin.ts'
import { MAX_BODY_VALUES, MAX_GRAPHQL_BODY_BYTES } from '../limits/limits.ts'
import { buildGraphqlSchema } from '../schema.ts'
import { toReadable } from '../subscriptions/event-stream.ts'
import { GRAPHQL_PATH, isHandshake } from '../subscriptions/handshake.ts'
import { mountSocketServer } from '../subscriptions/socket-server.ts'
import { subscriptions } from '../subscriptions/subscribe.ts'
import { createSocketHandler, type Identify } from '../subscriptions/subscriptions.ts'
import { ANSWER_TYPES, acceptedTypes, EVENT_STREAM } from './accept.ts'
import { extensionsOf } from './errors.ts'
import { refuseMisreadParameters } from './get-parameters.ts'
import { mountGraphiql } from './graphiql.ts'
import { isStream, maskResult } from './masking.ts'
import { createPost } from './post.ts'

/** How the server authenticates callers. */
export interface Authentication {
  /** The actor of a request; anonymous without key and cookie. @throws UNAUTHORIZED, FORBIDDEN, RATE_LIMITED, UNAVAILABLE */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Actor>
  readonly identify: Identify
  cookieFor(reply: FastifyReply): SessionCookie
}

/** What the sender of a body says by itself. */
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])
const JSON_BODY = /^application\/(graphql-response\+)?json\s*(;\s*charset="?utf-?8"?\s*)?$/i

/**
 * Mounts the GraphQL door: POST with JSON, GET for queries, both with server-sent events for subscriptions, WebSockets, and GraphiQL for
 * browsers.
 */
export async function mountGraphql(
  app: FastifyInstance,
  runtime: Runtime,
  authentication: Authentication,
): Promise<void> {
  const schema = buildGraphqlSchema()
  const yoga = openYoga(runtime, schema)
  const post = createPost(yoga, schema)
  const graphiql = mountGraphiql(app)
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // A well-formed one would have left HTTP.
    if (isHandshake(request.raw)) throw malformedHandshake(reply)
    if (graphiql.isAskedFor(request)) return graphiql.send(reply)
    const signal = signalOf(reply)
    const actor = await authentication.authenticate(request, reply)
    const [type, ...others] = acceptedTypes(request.headers.accept, ANSWER_TYPES)
    if (type === undefined) {
      return refuse(reply.header('accept', ANSWER_TYPES.join(', ')), invalidRequest(`Accept ${ANSWER_TYPES[0]}.`), 406)
    }
    if (request.method === 'POST' && !JSON_BODY.test(request.headers['content-type'] ?? '')) {
      throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the request as application/json.')
    }
    // What REST refuses in a body is refused here in the same words, before a library takes it for something else.
    const isPost = request.method === 'POST'
    const maxValues = actor.kind === 'anonymous' ? MAX_BODY_VALUES.anonymous : MAX_BODY_VALUES.caller
    const body = isPost ? parseJsonBody((request.body as Buffer | undefined) ?? Buffer.alloc(0), maxValues) : null
    if (!isPost) refuseMisreadParameters(toUrl(request))
    const { id: requestId, ip: address } = request
    const known = { requestId, address, signal, cookie: authentication.cookieFor(reply) }
    const context: GraphqlContext = { ...runtime.as(actor), ...known }
    const answer = body !== null && request.url === GRAPHQL_PATH ? await post(context, body, type) : null
    if (answer !== null) return reply.type(answer.contentType).send(JSON.stringify(answer.result))
    // Yoga knows nothing of how much a type is liked. Only a subscription is answered with another one than the best: with events.
    const accept = others.includes(EVENT_STREAM) ? `${type}, ${EVENT_STREAM}` : type
    return send(reply, await yoga.fetch(toUrl(request).href, toFetchInit(request, accept), context as never))
  }
  await app.register(async (scope) => {
    await mountSocketServer(scope)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_GRAPHQL_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.setErrorHandler((error, _request, reply) => refuse(reply, ownLimit(toServiceError(error))))
    const wsHandler = createSocketHandler(runtime, yoga, authentication.identify)
    scope.route({ method: 'GET', url: GRAPHQL_PATH, handler, wsHandler })
    scope.route({ method: 'POST', url: GRAPHQL_PATH, bodyLimit: MAX_GRAPHQL_BODY_BYTES, handler })
  })
}

const openYoga = (runtime: Runtime, schema: GraphQLSchema) =>
  createYoga<GraphqlContext>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    logging: false,
    batching: false,
    cors: false,
    multipart: false,
    parserAndValidationCache: {
      documentCache: new BoundedCache(),
      errorCache: new BoundedCache(),
      validationCache: new BoundedCache(),
    },
    graphiql: false,
    maskedErrors: { maskError: (error) => error as Error },
    plugins: [limits(runtime), deadline(), subscriptions(), masking(runtime)],
  })

/** Aborted when the caller hangs up; to be asked for before anything is waited for, or one who hangs up meanwhile stays unnoticed. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (raw.destroyed) gone.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone.signal
}

const toUrl = (request: FastifyRequest): URL => new URL(request.url, 'http://graphql.invalid')

const toFetchInit = (request: FastifyRequest, accept: string): RequestInit => ({
  // Fastify leaves out the body of an answer to HEAD.
  method: request.method === 'HEAD' ? 'GET' : request.method,
  headers: Object.entries({ ...request.headers, accept }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  ),
  ...(request.method === 'POST' && { body: (request.body ?? Buffer.alloc(0)) as Buffer<ArrayBuffer> }),
})

/** Yoga's Response is copied rather than handed over: fastify's own hooks cannot work with it. */
async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  response.headers.forEach((value, given) => {
    const name = given.toLowerCase()
    if (!FRAMING.has(name) && !(name === 'cache-control' && reply.hasHeader(name))) reply.header(name, value)
  })
  reply.status(response.status)
  if (response.body === null || response.headers.get('content-type') !== EVENT_STREAM)
    return reply.send(await response.text())
  if (reply.request.method !== 'HEAD') return reply.send(toReadable(response.body))
  // What would come is all that HEAD asks for: nothing is followed.
  await response.body.cancel()
  return reply.send(Readable.from([]))
}

function malformedHandshake(reply: FastifyReply): ServiceError {
  reply.header('sec-websocket-version', '13')
  return invalidRequest('Send a WebSocket handshake as RFC 6455 describes it.')
}

/** The body may be smaller here than elsewhere. */
const ownLimit = (refusal: ServiceError): ServiceError =>
  refusal.code === 'PAYLOAD_TOO_LARGE'
    ? new ServiceError(refusal.code, `Send a body of at most ${MAX_GRAPHQL_BODY_BYTES / 1024} KiB.`)
    : refusal

/** A refusal at the door itself: the pair of every other path, and the errors that a GraphQL client looks for. */
function refuse(reply: FastifyReply, refusal: ServiceError, status = refusal.status): FastifyReply {
  const { details } = refusal
  return reply
    .status(status)
    .headers(errorHeaders(refusal))
    .send(
      JSON.stringify({
        error: refusal.message,
        error_code: refusal.code,
        ...(details?.length && { details }),
        errors: [{ message: refusal.message, extensions: extensionsOf(refusal, reply.request.id) }],
      }),
    )
}

/** What was not executed at all is 400 to those who accept GraphQL's own media type, as its specification has it, and 200 to others. */
function withStatus(result: ExecutionResult): ExecutionResult {
  if (!('data' in result))
    for (const { extensions } of result.errors ?? []) extensions.http ??= { spec: true, status: 400 }
  return result
}

/** Applied to whatever leaves: errors of parsing, of validation and of resolvers alike. */
const masking = (runtime: Runtime): Plugin<GraphqlContext> => ({
  onResultProcess: ({ result, setResult, serverContext }) => {
    const requestId = (serverContext as unknown as GraphqlContext).requestId
    // A subscription's answers are shown as they may be from the first.
    if (Array.isArray(result) || isStream(result)) return
    setResult(withStatus(maskResult(result as ExecutionResult, runtime.log, requestId)))
  },
})
