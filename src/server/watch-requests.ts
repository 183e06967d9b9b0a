import type { FastifyInstance, FastifyRequest, preValidationHookHandler } from 'fastify'
import { requestSpan } from '../telemetry/span-names.ts'
import { isTraced, type ServerSpan, startServerSpan } from '../telemetry/spans.ts'
import type { Log } from '../values/log.ts'
import { inLogScope } from '../values/log-scope.ts'

const PROBES = /^\/health\//

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD'])

declare module 'fastify' {
  interface FastifyRequest {
    serverSpan: ServerSpan | null
  }
}

/**
 * Runs each request in a span and in the log scope of its id.
 * An upgraded connection has no span, because it may last for days.
 */
export function traceRequests(app: FastifyInstance): void {
  const traced = isTraced()
  app.decorateRequest('serverSpan', null)
  app.addHook('onRequest', (request, _reply, done) => {
    if (traced && request.raw.headers.upgrade === undefined) startSpan(request)
    enter(request, done)
  })
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

/** Logs the route's pattern of each request, never its address, which may hold secrets. */
export function logRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const route = request.is404 ? null : (request.routeOptions.url ?? null)
    log.info({ requestId, method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'a request')
    done()
  })
}
