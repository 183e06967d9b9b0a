import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { YogaServerInstance } from 'graphql-yoga'
import type { Actor } from '../../access/actor.ts'
import { invalidRequest, unsupportedMediaType } from '../../errors/service-error.ts'
import { clientDisconnect } from '../../http/client-disconnect.ts'
import { parseJsonBody } from '../../http/json-body.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GraphqlContext } from '../builder.ts'
import { MAX_ANONYMOUS_CHARACTERS, MAX_BODY_VALUES } from '../limits/limits.ts'
import { toReadable } from '../subscriptions/event-stream.ts'
import { GRAPHQL_PATH } from '../subscriptions/handshake.ts'
import { ANSWER_TYPES, acceptedTypes, EVENT_STREAM } from './accept.ts'
import type { Authentication } from './authentication.ts'
import { rejectMisreadParameters } from './get-parameters.ts'
import { namesPersisted, rejectPersisted } from './persisted-query.ts'
import type { createPost } from './post.ts'
import { reject } from './reject.ts'

/** What the sender of a body says by itself; a stream of events says that its connection is kept, which the client may not want. */
const FRAMING: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding'])
/**
 * The time that the whole installation goes by, in milliseconds since 1970, for a request that has this header: the `date` of an answer is
 * a clock of the machine alone. Others have no further header that differs between two answers.
 */
const TIME_HEADER = 'x-sonant-time'
const OWN_TYPE = 'application/graphql-response+json'
const JSON_BODY = /^application\/(graphql-response\+)?json\s*(;\s*charset="?utf-?8"?\s*)?$/i

/** Answers an operation, once its caller is authenticated and its request is held to what REST requests are held to. */
export function createAnswer(
  runtime: Runtime,
  yoga: YogaServerInstance<GraphqlContext, object>,
  post: ReturnType<typeof createPost>,
  authentication: Authentication,
) {
  // As it is sent: an operation may take a while.
  const stamp = (reply: FastifyReply): FastifyReply =>
    reply.request.headers[TIME_HEADER] === undefined ? reply : reply.header(TIME_HEADER, runtime.now().getTime())
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const signal = clientDisconnect(reply.raw)
    const actor = await authentication.authenticate(request, reply)
    const [type, ...others] = acceptedTypes(request.headers.accept, ANSWER_TYPES)
    if (type === undefined) {
      return reject(reply.header('accept', ANSWER_TYPES.join(', ')), invalidRequest(`Accept ${ANSWER_TYPES[0]}.`), 406)
    }
    const body = readBody(request, actor)
    if (namesPersisted(body, toUrl(request))) return rejectPersisted(stamp(reply), type === OWN_TYPE)
    const { id: requestId, ip: address } = request
    const cookie = authentication.cookieFor(reply)
    const known = { requestId, address, signal, cookie, isInAddress: request.method !== 'POST' }
    const context: GraphqlContext = { ...runtime.as(actor), ...known }
    const posted = body !== null && request.url === GRAPHQL_PATH ? await post(context, body, type) : null
    if (posted !== null) return stamp(reply).type(posted.contentType).send(JSON.stringify(posted.result))
    // Yoga knows nothing of how much a type is liked. Only a subscription is answered with another one than the best: with events.
    const accept = others.includes(EVENT_STREAM) ? `${type}, ${EVENT_STREAM}` : type
    const response = await yoga.fetch(toUrl(request).href, toFetchInit(request, accept), context as never)
    return send(stamp(reply), response)
  }
}

/**
 * What REST rejects in a body is rejected here in the same words, before a library takes it for something else.
 * @returns null: the operation is in the address
 * @throws INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE
 */
function readBody(request: FastifyRequest, actor: Actor): Readonly<Record<string, unknown>> | null {
  if (request.method !== 'POST') {
    rejectMisreadParameters(toUrl(request))
    return null
  }
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers
  if (!JSON_BODY.test(type) || encoding.trim().toLowerCase() !== 'identity') throw unsupportedMediaType()
  const isAnonymous = actor.kind === 'anonymous'
  const maxValues = isAnonymous ? MAX_BODY_VALUES.anonymous : MAX_BODY_VALUES.caller
  const body = parseJsonBody((request.body as Buffer | undefined) ?? Buffer.alloc(0), maxValues)
  // Here, because what is found wrong with a document is remembered for every caller.
  if (isAnonymous && typeof body.query === 'string' && body.query.length > MAX_ANONYMOUS_CHARACTERS) {
    throw invalidRequest(`Send a document of at most ${MAX_ANONYMOUS_CHARACTERS} characters, or a key.`)
  }
  return body
}

/** The router takes the path in percent-encoding as well; Yoga, which answers others with an empty 404, does not. */
function toUrl(request: FastifyRequest): URL {
  const url = new URL(request.url, 'http://graphql.invalid')
  url.pathname = GRAPHQL_PATH
  return url
}

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
  // A proxy that buffers would hold events back until there are enough of them.
  reply.header('x-accel-buffering', 'no')
  if (reply.request.method !== 'HEAD') return reply.send(toReadable(response.body))
  // What would come is all that HEAD asks for: nothing is followed. A stream that was not read yet may fail to be cancelled.
  await response.body.cancel().catch(() => undefined)
  return reply.send(Readable.from([]))
}
