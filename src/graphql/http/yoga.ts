import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ExecutionResult, GraphQLSchema } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { BoundedCache } from '../../concurrency/bounded-cache.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import { invalidRequest, type ServiceError } from '../../errors/service-error.ts'
import { logFailure } from '../../http/client-disconnect.ts'
import { GRAPHQL_PATH, isHandshake } from '../../http/web-sockets.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GraphqlContext } from '../builder.ts'
import { deadline } from '../limits/deadline.ts'
import { limits } from '../limits/limit-plugin.ts'
import { noteRejected } from '../limits/measure-operation.ts'
import { graphqlSchema } from '../schema.ts'
import { subscriptions } from '../subscriptions/subscribe.ts'
import { createSocketHandler } from '../subscriptions/subscriptions.ts'
import { type Authentication, createAnswer, type Posted, parsedBody, reject } from './answer.ts'
import { isStream, maskResult } from './errors.ts'
import { mountGraphiql } from './graphiql.ts'
import { bodyLimitOf, bodyTooLong, longestBodyBytes, takeLongBodies } from './long-bodies.ts'

export async function mountGraphql(
  app: FastifyInstance,
  runtime: Runtime,
  authentication: Authentication,
): Promise<void> {
  const yoga = openYoga(runtime, graphqlSchema)
  const graphiql = mountGraphiql(app)
  const bodyLimit = longestBodyBytes(runtime.settings.maxTextCharacters)
  const long = takeLongBodies(authentication)
  const answer = createAnswer(runtime, yoga, long.authentication)
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (isHandshake(request.raw)) throw malformedHandshake(reply)
    return graphiql.isAskedFor(request) ? graphiql.send(reply) : answer(request, reply)
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    scope.setErrorHandler((thrown: FastifyError, request, reply) => {
      const isTooLong = thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
      const error = isTooLong ? bodyTooLong(bodyLimitOf(request.headers, bodyLimit)) : toServiceError(thrown)
      logFailure(runtime.log, error.code, thrown, { request, response: reply.raw })
      return reject(reply, error)
    })
    const wsHandler = createSocketHandler(runtime, yoga, authentication.identify)
    scope.route({ method: 'GET', url: GRAPHQL_PATH, handler, wsHandler })
    scope.route({ method: 'POST', url: GRAPHQL_PATH, bodyLimit, handler, ...long.hooks })
  })
}

const openYoga = (runtime: Runtime, schema: GraphQLSchema) =>
  createYoga<GraphqlContext & Posted>({
    schema,
    graphqlEndpoint: GRAPHQL_PATH,
    landingPage: false,
    logging: false,
    batching: false,
    cors: false,
    multipart: false,
    maxRequestBodySize: false,
    parserAndValidationCache: {
      documentCache: new BoundedCache(),
      errorCache: new BoundedCache(),
      validationCache: new BoundedCache(),
    },
    graphiql: false,
    maskedErrors: { maskError: (error) => error as Error },
    plugins: [parsedBody(), limits(runtime), deadline(), subscriptions(), masking(runtime)],
  })

function malformedHandshake(reply: FastifyReply): ServiceError {
  reply.header('sec-websocket-version', '13')
  return invalidRequest('Send a WebSocket handshake as RFC 6455 describes it.')
}

/** The specification of GraphQL over HTTP asks for 400 if nothing was executed. */
function withStatus(result: ExecutionResult): ExecutionResult {
  if (!('data' in result))
    for (const { extensions } of result.errors ?? []) extensions.http ??= { spec: true, status: 400 }
  return result
}

const masking = (runtime: Runtime): Plugin<GraphqlContext> => ({
  onResultProcess: ({ result, setResult, serverContext }) => {
    const requestId = (serverContext as unknown as GraphqlContext).requestId
    if (Array.isArray(result) || isStream(result)) return
    if (!('data' in result)) noteRejected(runtime.telemetry)
    setResult(withStatus(maskResult(result as ExecutionResult, runtime.log, requestId)))
  },
})
