import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { CloseCode, makeServer, type SubscribePayload } from 'graphql-ws'
import type { YogaServerInstance } from 'graphql-yoga'
import { END } from '../../concurrency/pull-stream.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { rejectMisread } from '../../http/json-body.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { inLogScope } from '../../values/log-scope.ts'
import type { GraphqlContext } from '../builder.ts'
import type { Posted } from '../http/answer.ts'
import { isStream, maskError, maskResult } from '../http/errors.ts'
import { levelsOf, MAX_BODY_VALUES } from '../limits/limits.ts'
import { noteRejected } from '../limits/measure-operation.ts'
import {
  authorizationOf,
  type Connected,
  connectSocket,
  type Identify,
  openSocketCount,
  TRY_AGAIN_LATER,
} from './connect-socket.ts'
import { serveSocket } from './serve-socket.ts'
import { subscribe } from './subscribe.ts'

const MAX_OPERATIONS = 1000

/** Yoga caches a document's violations with the status that they have as the answer to a POST. */
const AS_POST = { method: 'POST' }

type Yoga = YogaServerInstance<GraphqlContext & Posted, object>
type Execute = (args: ExecutionArgs) => Promise<ExecutionResult> | ExecutionResult

interface Prepared extends OpenOperation {
  readonly execute: Execute
}

interface OpenOperation {
  readonly signal: AbortSignal
  readonly handle: AsyncGenerator<never, undefined>
  /** Never settles once the operation is completed: graphql-ws would take a late answer for the next operation with that id. */
  unlessCompleted<Answer>(answer: Answer): Answer | Promise<never>
  follow<Answer>(answers: AsyncIterator<Answer, undefined>): AsyncGenerator<Answer, undefined>
}

/** Serves graphql-ws. Each operation identifies its caller again. */
export function createSocketHandler(runtime: Runtime, yoga: Yoga, identify: Identify) {
  const count = openSocketCount()
  const server = makeServer<Record<string, unknown>, Connected['extra']>({
    onConnect: (connected) => connectSocket(runtime, connected, identify, count),
    onSubscribe: (connected, id, payload) => begin(runtime, yoga, identify, connected, id, payload),
    execute: async (args) => {
      const { execute, unlessCompleted } = args.rootValue as Prepared
      const { requestId } = args.contextValue as GraphqlContext
      const result = await inLogScope({ requestId }, () => execute(args))
      if (!('data' in result)) noteRejected(runtime.telemetry)
      return unlessCompleted(masked(result, args))
    },
    subscribe: async (args) => {
      const { follow, unlessCompleted } = args.rootValue as Prepared
      const answers = await subscribe({ ...args, rootValue: undefined })
      if (!isStream(answers)) return unlessCompleted(masked(answers, args))
      return unlessCompleted(follow(answers))
    },
    onError: ({ extra }, _id, _payload, errors) =>
      errors.map((error) => shown(maskError(error, runtime.log, extra.request.id))),
  })
  return (socket: WebSocket, request: FastifyRequest): void => {
    if (count.open(socket, request.ip)) serveSocket(server, socket, request)
    else socket.close(TRY_AGAIN_LATER, 'Too many connections')
  }
}

async function begin(
  runtime: Runtime,
  yoga: Yoga,
  identify: Identify,
  connected: Connected,
  id: string,
  payload: SubscribePayload,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const { request, socket } = connected.extra
  const operation = openOperation()
  const { signal, unlessCompleted } = operation
  connected.subscriptions[id] = operation.handle
  try {
    if (Object.keys(connected.subscriptions).length > MAX_OPERATIONS)
      throw new GraphQLError('Complete other operations first.')
    const actor = await identify(request, authorizationOf(connected))
    if (holdsTooMuch(payload)) throw invalidRequest(`Send a message of at most ${MAX_BODY_VALUES.caller} values.`)
    rejectMisread(payload)
    const known = {
      requestId: request.id,
      signal,
      address: request.ip,
      isInAddress: false,
      showsCost: false,
      cookie: null,
    }
    const prepared = await prepare(yoga, { ...runtime.as(actor), ...known }, payload)
    if (Array.isArray(prepared)) {
      noteRejected(runtime.telemetry)
      return unlessCompleted(prepared)
    }
    const { execute, ...args } = prepared
    return unlessCompleted({ ...args, rootValue: { ...operation, execute } satisfies Prepared })
  } catch (error) {
    if (error instanceof GraphQLError) noteRejected(runtime.telemetry)
    if (toServiceError(error).code === 'UNAUTHORIZED') socket.close(CloseCode.Forbidden, 'Forbidden')
    return unlessCompleted([maskError(error, runtime.log, request.id)])
  }
}

function holdsTooMuch(payload: object): boolean {
  let count = 0
  for (const values of levelsOf(payload)) {
    count += values
    if (count > MAX_BODY_VALUES.caller) return true
  }
  return false
}

async function prepare(yoga: Yoga, serverContext: GraphqlContext, payload: SubscribePayload) {
  const { schema, execute, contextFactory, parse, validate } = yoga.getEnveloped({
    ...serverContext,
    params: payload,
    request: AS_POST,
  })
  const document = parse(payload.query)
  const violations = validate(schema, document)
  if (violations.length > 0) {
    return violations.map((error: GraphQLError) => maskError(error, serverContext.log, serverContext.requestId))
  }
  return {
    schema,
    document,
    operationName: payload.operationName,
    variableValues: payload.variables,
    contextValue: await contextFactory(),
    execute,
  }
}

const masked = (result: ExecutionResult, { contextValue }: ExecutionArgs): ExecutionResult => {
  const { log, requestId } = contextValue as GraphqlContext
  return maskResult(result, log, requestId)
}

function shown(error: GraphQLError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions
  return { ...error.toJSON(), extensions }
}

export function openOperation(): OpenOperation {
  const completed = new AbortController()
  const end = async () => {
    completed.abort()
    return END
  }
  const unlessCompleted = <Answer>(answer: Answer): Answer | Promise<never> =>
    completed.signal.aborted ? new Promise<never>(() => undefined) : answer
  const generatorOf = <Answer>(next: () => Promise<IteratorResult<Answer, undefined>>) => {
    const generator: AsyncGenerator<Answer, undefined> = {
      ...{ next, return: end, throw: end },
      [Symbol.asyncIterator]: () => generator,
      [Symbol.asyncDispose]: async () => completed.abort(),
    }
    return generator
  }
  return {
    signal: completed.signal,
    handle: generatorOf<never>(end),
    unlessCompleted,
    follow: (answers) => generatorOf(async () => unlessCompleted(await answers.next())),
  }
}
