import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { invalidRequest, listTooLarge, payloadTooLarge, unauthorized } from '../src/errors/service-error.ts'
import { clientDisconnect } from '../src/http/client-disconnect.ts'
import { OPEN_TO_ALL, PREFLIGHT, rejectRepeatedKey } from '../src/http/headers.ts'
import { MAX_BODY_BYTES, MAX_LIST_BYTES, MAX_LIST_VALUES, parseJsonBody, textBodyBytes } from '../src/http/json-body.ts'
import { fileTooLarge, MAX_FORM_BYTES, parseForm } from '../src/http/multipart-body.ts'
import type { ServiceContext } from '../src/runtime/services.ts'
import { type As, type Authenticate, authorize } from './authorize.ts'
import { API_ROOT, type Document } from './document.ts'
import {
  type DocumentedOperation,
  openValidator,
  type RequestValidator,
  type RoutedRequest,
} from './openapi-validator.ts'
import type { Answer, Operation } from './operation.ts'
import { operations } from './operations.ts'
import { type Query, readQuery } from './parameters.ts'
import { send, sendOpen } from './send.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    maxValues?: number
  }
}

/** Mounts REST: fastify routes, openapi-backend validates, a verb answers. */
export async function mountRest(
  app: FastifyInstance,
  as: As,
  document: Document,
  authenticate: Authenticate,
): Promise<void> {
  const validator = await openValidator(document)
  await app.register(
    async (scope) => {
      scope.decorateRequest('ctx', null)
      scope.removeAllContentTypeParsers()
      const options = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const
      scope.addContentTypeParser('*', options, async (request: FastifyRequest, body: Buffer) =>
        body.length === 0 && request.method === 'DELETE'
          ? undefined
          : parseJsonBody(body, request.routeOptions.config.maxValues),
      )
      const form = { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES } as const
      scope.addContentTypeParser('multipart/form-data', form, async (request: FastifyRequest, body: Buffer) =>
        parseForm(body, request.headers['content-type'] ?? ''),
      )
      for (const documented of validator.operations) {
        if (documented.security?.length) mountSecured(scope, validator, documented, { as, authenticate })
        else mountPublic(scope, documented, as({ kind: 'anonymous' }))
      }
    },
    { prefix: API_ROOT },
  )
}

function mountSecured(
  scope: FastifyInstance,
  validator: RequestValidator,
  documented: DocumentedOperation,
  callers: { readonly as: As; readonly authenticate: Authenticate },
): void {
  const operation = operationOf(documented)
  const takesBody = documented.requestBody !== undefined
  scope.route({
    method: documented.method.toUpperCase(),
    url: fastifyPath(documented.path),
    config: { secured: true, ...(operation.body === 'list' && { maxValues: MAX_LIST_VALUES }) },
    ...limitsOf(operation, textBodyBytes(callers.as({ kind: 'anonymous' }).settings.maxTextCharacters)),
    onRequest: authorize(operation, documented, callers),
    handler: async (request, reply) => {
      if (takesBody && request.body === undefined)
        throw invalidRequest(operation.body === 'form' ? 'Send a form as the body.' : 'Send a JSON object as the body.')
      rejectRepeatedKey(request.raw)
      const query = readQuery(documented, request.query as Record<string, unknown>, operation.isStrict)
      if (operation.body !== 'form') validator.validate(routed(request, query), documented)
      return send(reply, await perform(operation, request, reply, query))
    },
  })
}

function limitsOf({ body }: Operation, textBytes: number) {
  if (body === undefined) return {}
  const limits = {
    form: [MAX_FORM_BYTES, fileTooLarge()],
    list: [MAX_LIST_BYTES, listTooLarge()],
    text: [textBytes, payloadTooLarge(textBytes)],
  } as const
  const [bodyLimit, error] = limits[body]
  const errorHandler = (thrown: { readonly code?: unknown }) => {
    throw thrown.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? error : thrown
  }
  return { bodyLimit, errorHandler }
}

function routed(request: FastifyRequest, query: Query): RoutedRequest {
  const { method, url, body, headers } = request
  const parsed = { params: paramsOf(request), query: query as RoutedRequest['query'], cookies: {} }
  return { method, path: url, body, headers, requestBody: body, ...parsed }
}

async function perform(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query,
): Promise<Answer> {
  const { ctx, headers, body } = request
  if (ctx === null) throw unauthorized()
  const call = { ctx, params: paramsOf(request), query, headers, body, disconnect: () => clientDisconnect(reply.raw) }
  return operation.answer(await operation.verb(ctx, operation.input(call)), call)
}

function mountPublic(scope: FastifyInstance, documented: DocumentedOperation, ctx: ServiceContext): void {
  const operation = operationOf(documented)
  const disconnect = () => new AbortController().signal
  const answer = (request: FastifyRequest) => {
    const { headers } = request
    const call = { ctx, params: paramsOf(request), query: {}, headers, body: undefined, disconnect }
    return operation.answer(operation.verb(ctx, operation.input(call)), call) as Answer
  }
  mountOpen(scope, fastifyPath(documented.path), answer)
}

/** GET, HEAD and CORS preflight for every origin, without a key. `answer` must not block. */
export function mountOpen(scope: FastifyInstance, url: string, answer: (request: FastifyRequest) => Answer): void {
  const errorHandler = (error: unknown, _request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(OPEN_TO_ALL)
    throw error
  }
  scope.get(url, { errorHandler }, (request, reply) => sendOpen(reply, answer(request)))
  const preflight = async (_request: FastifyRequest, reply: FastifyReply) => reply.code(204).headers(PREFLIGHT).send()
  scope.options(url, { onRequest: preflight }, preflight)
}

function operationOf({ operationId = '' }: DocumentedOperation): Operation {
  const operation = (operations as Record<string, Operation>)[operationId]
  if (operation === undefined) throw new Error(`no operation answers ${operationId}`)
  return operation
}

const paramsOf = (request: FastifyRequest) => request.params as Record<string, string>

const fastifyPath = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1')
