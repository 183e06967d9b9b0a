import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Plugin, YogaServerInstance } from 'graphql-yoga'
import type { Actor } from '../../access/actor.ts'
import { errorHeaders, JSON_TYPE } from '../../errors/describe-error.ts'
import { invalidRequest, type ServiceError, unsupportedMediaType } from '../../errors/service-error.ts'
import { clientDisconnect } from '../../http/client-disconnect.ts'
import { parseJsonBody, rejectMisread } from '../../http/json-body.ts'
import { GRAPHQL_PATH } from '../../http/web-sockets.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GraphqlContext, SessionCookie } from '../builder.ts'
import { MAX_ANONYMOUS_CHARACTERS, MAX_BODY_VALUES } from '../limits/limits.ts'
import type { Identify } from '../subscriptions/connect-socket.ts'
import { toReadable } from '../subscriptions/subscribe.ts'
import { ANSWER_TYPES, acceptedTypes, EVENT_STREAM } from './accept.ts'
import { extensionsOf } from './errors.ts'

const FRAMING: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding'])
/** The database's time in milliseconds since 1970, for a request with this header. */
const TIME_HEADER = 'x-sonant-time'
/** An answer has its operation's cost in `extensions`, for a request with this header. */
const COST_HEADER = 'x-sonant-cost'
const OWN_TYPE = 'application/graphql-response+json'
const ORIGIN = 'http://graphql.invalid'
const POST_URL = `${ORIGIN}${GRAPHQL_PATH}`
const JSON_BODY = /^application\/(graphql-response\+)?json\s*(;\s*charset="?utf-?8"?\s*)?$/i
const OBJECTS = ['variables', 'extensions']
/** Apollo clients look for this message or code, then send the whole document. */
const NOT_SUPPORTED = { message: 'PersistedQueryNotSupported', code: 'PERSISTED_QUERY_NOT_SUPPORTED' }

/** Travels with a request's context. */
export interface Posted {
  /** null: the operation is in the address. */
  readonly body: Readonly<Record<string, unknown>> | null
}

export interface Authentication {
  /** Returns an anonymous actor without key and cookie. @throws UNAUTHORIZED, FORBIDDEN, RATE_LIMITED, UNAVAILABLE */
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<Actor>
  readonly identify: Identify
  cookieFor(reply: FastifyReply): SessionCookie
}

export function createAnswer(
  runtime: Runtime,
  yoga: YogaServerInstance<GraphqlContext & Posted, object>,
  authentication: Authentication,
) {
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
    const [isInAddress, showsCost] = [request.method !== 'POST', request.headers[COST_HEADER] === '1']
    const known = { requestId, address, signal, cookie, isInAddress, showsCost }
    const context: GraphqlContext = { ...runtime.as(actor), ...known }
    // Yoga ignores quality values, so only the preferred type and events are left.
    const accept = others.includes(EVENT_STREAM) ? `${type}, ${EVENT_STREAM}` : type
    const url = body === null ? toUrl(request).href : POST_URL
    // Yoga puts a proxy before a single context, which every resolver would read through; it copies two into a plain object.
    const response = await yoga.fetch(url, toFetchInit(request, accept), context, { body })
    return send(stamp(reply), response)
  }
}

/**
 * Rejects a body in REST's words.
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
  if (isAnonymous && typeof body.query === 'string' && body.query.length > MAX_ANONYMOUS_CHARACTERS) {
    throw invalidRequest(`Send a document of at most ${MAX_ANONYMOUS_CHARACTERS} characters, or a key.`)
  }
  return body
}

/** Gives Yoga the body that `readBody` has parsed. */
export const parsedBody = (): Plugin<object, Posted> => ({
  onRequestParse: ({ serverContext: { body }, setRequestParser }) => {
    if (body !== null) setRequestParser(() => body)
  },
})

/** Yoga does not decode the path, so the canonical one is used. */
function toUrl(request: FastifyRequest): URL {
  const url = new URL(request.url, ORIGIN)
  url.pathname = GRAPHQL_PATH
  return url
}

/** Yoga reads nothing else of a request: its body is parsed. */
const toFetchInit = ({ method }: FastifyRequest, accept: string): RequestInit => ({
  method: method === 'HEAD' ? 'GET' : method,
  headers: { accept },
})

async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  response.headers.forEach((value, given) => {
    const name = given.toLowerCase()
    if (!FRAMING.has(name) && !(name === 'cache-control' && reply.hasHeader(name))) reply.header(name, value)
  })
  reply.status(response.status)
  if (response.body === null || response.headers.get('content-type') !== EVENT_STREAM)
    return reply.send(await response.text())
  // A buffering proxy would hold events back.
  reply.header('x-accel-buffering', 'no')
  if (reply.request.method !== 'HEAD') return reply.send(toReadable(response.body))
  await response.body.cancel().catch(() => undefined)
  return reply.send(Readable.from([]))
}

/** Answers a request whose operation never runs, in the form that GraphQL clients read. */
export function reject(reply: FastifyReply, error: ServiceError, status = error.status): FastifyReply {
  const { details } = error
  // Node drains the rest of the body, so the connection can live on.
  if (reply.hasHeader('connection')) reply.removeHeader('connection')
  return reply
    .status(status)
    .headers(errorHeaders(error))
    .send(
      JSON.stringify({
        error: error.message,
        error_code: error.code,
        ...(details?.length && { details }),
        errors: [{ message: error.message, extensions: extensionsOf(error, reply.request.id) }],
      }),
    )
}

/** @throws INVALID_REQUEST */
function rejectMisreadParameters({ searchParams }: URL): void {
  for (const name of OBJECTS) {
    const text = searchParams.get(name)
    if (text === null || text === '') continue
    const value = parsed(text)
    if (value === null) continue
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw invalidRequest('Invalid request: see `details`.', [{ path: name, message: 'must be a JSON object' }])
    }
    rejectMisread(value)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function namesPersisted(body: Readonly<Record<string, unknown>> | null, { searchParams }: URL): boolean {
  if (body !== null) return !body.query && holdsHash(body.extensions)
  return !searchParams.get('query') && holdsHash(parsed(searchParams.get('extensions') ?? ''))
}

function rejectPersisted(reply: FastifyReply, isOwnType: boolean): FastifyReply {
  const { message, code } = NOT_SUPPORTED
  const type = isOwnType ? 'application/graphql-response+json; charset=utf-8' : JSON_TYPE
  const errors = [{ message, extensions: { code, requestId: reply.request.id } }]
  return reply.header('cache-control', 'no-store').type(type).send(JSON.stringify({ errors }))
}

const holdsHash = (extensions: unknown): boolean =>
  typeof extensions === 'object' &&
  extensions !== null &&
  typeof (extensions as Record<string, unknown>).persistedQuery === 'object'
