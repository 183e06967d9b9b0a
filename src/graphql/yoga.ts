import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NoSchemaIntrospectionCustomRule } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { parseJsonBody } from '../../rest/json-body.ts'
import type { Actor, KeyActor } from '../context.ts'
import { ServiceError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { errorHeaders, toServiceError } from '../trouble.ts'
import type { GraphqlContext } from './builder.ts'
import { maskError } from './errors.ts'
import { limitsRule, MAX_GRAPHQL_BODY_BYTES, MAX_TOKENS } from './limits.ts'
import { buildGraphqlSchema } from './schema.ts'

/** Lets a request with a key in, or throws: the server knows how. */
export type Enter = (request: FastifyRequest, reply: FastifyReply) => Promise<KeyActor>

const PATH = '/graphql'
const CACHED_DOCUMENTS = 256
const JSON_BODY = /^application\/(graphql-response\+)?json\s*(;|$)/i

/** Mounts the GraphQL door: POST with JSON, GET for queries, and GraphiQL for browsers (contract.md section 10). */
export async function mountGraphql(app: FastifyInstance, runtime: Runtime, enter: Enter): Promise<void> {
  const yoga = createYoga<GraphqlContext>({
    schema: buildGraphqlSchema(),
    graphqlEndpoint: PATH,
    landingPage: false,
    logging: false,
    batching: false,
    cors: false,
    multipart: false,
    parserAndValidationCache: {
      documentCache: boundedCache(),
      errorCache: boundedCache(),
      validationCache: boundedCache(),
    },
    graphiql: {
      title: 'Sonant GraphQL',
      defaultQuery: '{\n  catalog {\n    endpoints {\n      slug\n      name\n    }\n  }\n}\n',
    },
    renderGraphiQL,
    maskedErrors: { maskError: (error) => error as Error },
    plugins: [limits(runtime), masking(runtime)],
  })

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_GRAPHQL_BODY_BYTES }, (_request, body, done) =>
      done(null, body),
    )
    scope.setErrorHandler((error, _request, reply) => refuse(reply, ownLimit(toServiceError(error))))
    scope.route({
      method: ['GET', 'POST'],
      url: PATH,
      bodyLimit: MAX_GRAPHQL_BODY_BYTES,
      handler: async (request, reply) => {
        const actor = await actorOf(request, reply, enter)
        if (request.method === 'POST' && !JSON_BODY.test(request.headers['content-type'] ?? '')) {
          throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'Send the request as application/json.')
        }
        // What REST refuses in a body is refused here in the same words, before a library takes it for something else.
        if (request.method === 'POST') parseJsonBody((request.body as Buffer | undefined) ?? Buffer.alloc(0))
        const context = { ...runtime.as(actor), requestId: request.id }
        const response = await yoga.fetch(toFetchUrl(request), toFetchInit(request), context as never)
        return send(reply, response)
      },
    })
  })
}

/** A caller without any Authorization sees what is public; one with a bad key is refused rather than demoted. */
async function actorOf(request: FastifyRequest, reply: FastifyReply, enter: Enter): Promise<Actor> {
  if (request.headers.authorization === undefined) return { kind: 'anonymous' }
  return enter(request, reply)
}

const toFetchUrl = (request: FastifyRequest): string => new URL(request.url, 'http://graphql.invalid').href

const toFetchInit = (request: FastifyRequest): RequestInit => ({
  method: request.method,
  headers: Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as [string, string]],
  ),
  ...(request.method === 'POST' && { body: (request.body ?? Buffer.alloc(0)) as Buffer<ArrayBuffer> }),
})

/** Yoga's Response is copied rather than handed over: fastify's own hooks cannot work with it. */
async function send(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  response.headers.forEach((value, name) => {
    if (name !== 'content-length') reply.header(name, value)
  })
  return reply.status(response.status).send(await response.text())
}

/** The body may be smaller here than elsewhere. */
const ownLimit = (refusal: ServiceError): ServiceError =>
  refusal.code === 'PAYLOAD_TOO_LARGE'
    ? new ServiceError(refusal.code, `Send a body of at most ${MAX_GRAPHQL_BODY_BYTES / 1024} KiB.`)
    : refusal

/** A refusal at the door itself: the pair of every other path, and the errors that a GraphQL client looks for. */
function refuse(reply: FastifyReply, refusal: ServiceError): FastifyReply {
  const details = refusal.details?.length ? { details: refusal.details } : {}
  const extensions = { code: refusal.code, requestId: reply.request.id, ...details }
  return reply
    .status(refusal.status)
    .headers(errorHeaders(refusal))
    .send(
      JSON.stringify({
        error: refusal.message,
        error_code: refusal.code,
        ...details,
        errors: [{ message: refusal.message, extensions }],
      }),
    )
}

/** Tokens are counted while parsing; the rest before any other rule looks at the document. Strangers get no introspection and no hints. */
const limits = (runtime: Runtime): Plugin<GraphqlContext> => ({
  onParse: ({ params, setParseFn, parseFn }) =>
    setParseFn((source) => parseFn(source, { ...params.options, maxTokens: MAX_TOKENS })),
  onValidate: ({ context, addValidationRule, params, setResult, validateFn }) => {
    const excess = validateFn(params.schema, params.documentAST, [limitsRule])
    if (excess.length > 0) return setResult(excess)
    const stranger = context.actor.kind === 'anonymous'
    if (stranger && !runtime.settings.development) addValidationRule(NoSchemaIntrospectionCustomRule)
    return ({ result, setResult: replace }) => {
      if (!stranger || result === undefined) return
      replace(
        result.map((error) => Object.assign(error, { message: error.message.replace(/ Did you mean .*\?$/s, '') })),
      )
    }
  },
})

/** Applied to whatever leaves: errors of parsing, of validation and of resolvers alike. */
const masking = (runtime: Runtime): Plugin<GraphqlContext> => ({
  onResultProcess: ({ result, setResult, serverContext }) => {
    const requestId = (serverContext as unknown as GraphqlContext).requestId
    if (Array.isArray(result) || !('errors' in result) || result.errors === undefined) return
    setResult({ ...result, errors: result.errors.map((error) => maskError(error, runtime.log, requestId)) })
  },
})

interface Cache<T> {
  get(key: string): T | undefined
  set(key: string, value: T): void
}

/** Forgets the oldest document: unbounded, a few hundred large ones take gigabytes. */
function boundedCache<T>(): Cache<T> {
  const entries = new Map<string, T>()
  return {
    get: (key) => entries.get(key),
    set: (key, value) => {
      if (entries.size >= CACHED_DOCUMENTS) entries.delete(entries.keys().next().value as string)
      entries.set(key, value)
    },
  }
}
