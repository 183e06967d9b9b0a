import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql'
import { CloseCode, makeServer, type Context as SocketContext } from 'graphql-ws'
import type { YogaServerInstance } from 'graphql-yoga'
import type { AccountHolder } from '../../access/actor.ts'
import type { PullStream } from '../../concurrency/pull-stream.ts'
import { toServiceError } from '../../errors/describe-error.ts'
import { refuseMisread } from '../../http/json-body.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { GraphqlContext } from '../builder.ts'
import { maskError } from '../http/errors.ts'
import { isStream, maskResult } from '../http/masking.ts'
import { AS_POST } from '../http/post.ts'
import { deliver } from './deliver.ts'
import { openOperation, unlessCompleted } from './open-operation.ts'
import { openSocketCount } from './socket-count.ts'
import { subscribe } from './subscribe.ts'

/** A peer that has not answered a ping by the next one is gone, or does not read. */
const PING_EVERY_MS = 12_000
/** What may wait in this process for a socket whose peer reads slowly. */
const MAX_UNSENT_BYTES = 4 * 2 ** 20
/** Operations that one socket may have open at once. */
const MAX_OPERATIONS = 1000
const TRY_AGAIN_LATER = 1013
const TOO_MANY = 4429

/** Who sends this Authorization header and these cookies, counted against its quota. @throws UNAUTHORIZED, RATE_LIMITED, UNAVAILABLE */
export type Identify = (request: FastifyRequest, authorization: string | undefined) => Promise<AccountHolder>

type Yoga = YogaServerInstance<GraphqlContext, object>

interface Extra {
  readonly socket: WebSocket
  readonly request: FastifyRequest
}

/** Goes through graphql-ws with an operation. */
interface Executor {
  execute(args: ExecutionArgs): Promise<ExecutionResult>
  deliver(answers: PullStream<ExecutionResult>): AsyncIterableIterator<never>
}

/**
 * GraphQL over WebSocket, in the protocol of graphql-ws. The caller is identified when it connects and again for
 * every operation; without a good key the socket closes with 4403, as it does when the key is deleted while it is open.
 */
export function createSocketHandler(runtime: Runtime, yoga: Yoga, identify: Identify) {
  const count = openSocketCount()
  const { log } = runtime
  const server = makeServer<Record<string, unknown>, Extra>({
    onConnect: (context) => connect(runtime, context, identify, count),
    onSubscribe: async (context, id, payload) => {
      const { request, socket } = context.extra
      const operation = openOperation()
      context.subscriptions[id] = operation.handle
      try {
        if (Object.keys(context.subscriptions).length > MAX_OPERATIONS)
          throw new GraphQLError('Complete other operations first.')
        // Refused in the words of a request's body.
        refuseMisread(payload)
        const actor = await identify(request, authorizationOf(context))
        const known = { requestId: request.id, signal: operation.signal, address: request.ip, cookie: null }
        const prepared = await prepare(yoga, { ...runtime.as(actor), ...known }, payload)
        if (Array.isArray(prepared)) return unlessCompleted(operation.signal, prepared)
        const { execute, ...args } = prepared
        const rootValue: Executor = { execute, deliver: (answers) => deliver(answers, socket, id) }
        return unlessCompleted(operation.signal, { ...args, rootValue })
      } catch (error) {
        if (toServiceError(error).code === 'UNAUTHORIZED') socket.close(CloseCode.Forbidden, 'Forbidden')
        return unlessCompleted(operation.signal, [maskError(error, log, request.id)])
      }
    },
    execute: async (args) => {
      const result = await (args.rootValue as Executor).execute(args)
      return unlessCompleted(signalOf(args), maskResult(result, log, requestIdOf(args)))
    },
    subscribe: async (args) => {
      const result = await subscribe({ ...args, rootValue: undefined })
      if (isStream(result)) return unlessCompleted(signalOf(args), (args.rootValue as Executor).deliver(result))
      return unlessCompleted(signalOf(args), maskResult(result, log, requestIdOf(args)))
    },
    onError: (context, _id, _payload, errors) =>
      errors.map((error) => shown(maskError(error, log, context.extra.request.id))),
  })
  return (socket: WebSocket, request: FastifyRequest): void => {
    if (count.open(socket)) serve(server, socket, request)
    else socket.close(TRY_AGAIN_LATER, 'Too many connections')
  }
}

/** Parsed, validated and limited by the same plugins as over HTTP. */
async function prepare(
  yoga: Yoga,
  serverContext: GraphqlContext,
  payload: {
    query: string
    operationName?: string | null | undefined
    variables?: Record<string, unknown> | null | undefined
  },
) {
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

async function connect(
  runtime: Runtime,
  context: SocketContext<Record<string, unknown>, Extra>,
  identify: Identify,
  count: ReturnType<typeof openSocketCount>,
): Promise<boolean> {
  const { socket, request } = context.extra
  try {
    const caller = await identify(request, authorizationOf(context))
    // It has said so already, and would not say again that its place is free.
    if (socket.readyState !== socket.OPEN) return false
    if (!count.admit(socket, caller)) return refuse(socket, TOO_MANY, 'Too many connections')
    const unwatch = runtime.callers.watch(caller, [], () => socket.close(CloseCode.Forbidden, 'Forbidden'))
    socket.once('close', unwatch)
    return true
  } catch (error) {
    const { code } = toServiceError(error)
    if (code === 'UNAUTHORIZED' || code === 'FORBIDDEN') return false
    return code === 'RATE_LIMITED' ? refuse(socket, TOO_MANY, code) : refuse(socket, TRY_AGAIN_LATER, code)
  }
}

function refuse(socket: WebSocket, code: number, reason: string): false {
  socket.close(code, reason)
  return false
}

function serve(
  server: ReturnType<typeof makeServer<Record<string, unknown>, Extra>>,
  socket: WebSocket,
  request: FastifyRequest,
): void {
  let alive = true
  const ping = setInterval(() => {
    if (!alive || socket.bufferedAmount > MAX_UNSENT_BYTES) return socket.terminate()
    alive = false
    socket.ping()
  }, PING_EVERY_MS)
  socket.on('pong', () => {
    alive = true
  })
  // A frame that is too large or no frame at all: ws closes the socket with the fitting code by itself.
  socket.on('error', () => undefined)
  const closed = server.opened(
    {
      protocol: socket.protocol,
      // Settles when the bytes have left: a subscription is not read on before.
      send: (data) => new Promise((resolve) => socket.send(data, () => resolve())),
      close: (code, reason) => socket.close(code, reason),
      onMessage: (onMessage) => {
        socket.on('message', (data) => {
          onMessage(String(data)).catch(() => socket.close(CloseCode.BadRequest, 'Invalid message received'))
        })
      },
    },
    { socket, request },
  )
  socket.once('close', (code, reason) => {
    clearInterval(ping)
    void closed(code, String(reason))
  })
}

function authorizationOf({ connectionParams }: SocketContext<Record<string, unknown>, Extra>): string | undefined {
  const given = connectionParams?.authorization ?? connectionParams?.Authorization
  return typeof given === 'string' ? given : undefined
}

/** Which HTTP status an error would have is of no use here. */
function shown(error: GraphQLError): GraphQLFormattedError {
  const { http: _http, ...extensions } = error.extensions
  return { ...error.toJSON(), extensions }
}

const requestIdOf = ({ contextValue }: ExecutionArgs): string => (contextValue as GraphqlContext).requestId
const signalOf = ({ contextValue }: ExecutionArgs): AbortSignal => (contextValue as GraphqlContext).signal
