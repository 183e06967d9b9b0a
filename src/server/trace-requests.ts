import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import { requestSpan } from '../telemetry/span-names.ts'
import { isTraced, type ServerSpan, startServerSpan } from '../telemetry/spans.ts'
import { inLogScope } from '../values/log-scope.ts'

/** Asked every few seconds by load balancers: their spans would hide all others. */
const PROBES = /^\/health\//

/** Of these fastify reads no body. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where nothing is traced. Not in a WeakMap, of which a thousand requests a second cost as much as their spans. */
    serverSpan: ServerSpan | null
  }
}

/**
 * Has every request answered inside a span of its own, and in the scope of its id: what it logs, and what it queues, carries both. A
 * connection that leaves HTTP has no span, as it may last for days: each of its operations has the scope.
 */
export function traceRequests(app: FastifyInstance): void {
  const traced = isTraced()
  app.decorateRequest('serverSpan', null)
  app.addHook('onRequest', (request, _reply, done) => {
    if (traced && request.raw.headers.upgrade === undefined) startSpan(request)
    enter(request, done)
  })
  // A body arrives in the scope of its socket, and what follows with it.
  app.addHook('onRoute', (route) => {
    if (![route.method].flat().every((method) => BODILESS.has(method))) route.preValidation = enterAgain
  })
  if (!traced) return
  app.addHook('onResponse', (request, reply, done) => {
    request.serverSpan?.end(reply.statusCode)
    enter(request, done)
  })
}

const enterAgain: preValidationHookHandler = (request, _reply, done) => enter(request, done)

function startSpan(request: FastifyRequest): void {
  const route = request.is404 ? undefined : request.routeOptions.url
  if (PROBES.test(route ?? '')) return
  request.serverSpan = startServerSpan(() => requestSpan(request.method, route), request.headers)
}

function enter(request: FastifyRequest, work: () => void): void {
  const inScope = () => inLogScope({ requestId: request.id }, work)
  if (request.serverSpan === null) inScope()
  else request.serverSpan.run(inScope)
}
