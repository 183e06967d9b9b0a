import type { FastifyInstance, FastifyRequest } from 'fastify'
import { requestSpan } from '../telemetry/span-names.ts'
import { type ServerSpan, startServerSpan } from '../telemetry/spans.ts'
import { inLogScope } from '../values/log-scope.ts'

/** Asked every few seconds by load balancers: their spans would hide all others. */
const PROBES = /^\/health\//

const spans = new WeakMap<FastifyRequest, ServerSpan>()

/**
 * Has every request answered inside a span of its own, and in the scope of its id: what it logs, and what it queues, carries both. A
 * connection that leaves HTTP has no span, as it may last for days: each of its operations has the scope.
 */
export function traceRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const route = request.is404 ? undefined : request.routeOptions.url
    if (request.raw.headers.upgrade === undefined && !PROBES.test(route ?? ''))
      spans.set(request, startServerSpan(requestSpan(request.method, route), request.headers))
    enter(request, done)
  })
  // A body arrives in the scope of its socket, and what follows with it.
  app.addHook('preValidation', (request, _reply, done) => enter(request, done))
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode)
    enter(request, done)
  })
}

function enter(request: FastifyRequest, work: () => void): void {
  const inScope = () => inLogScope({ requestId: request.id }, work)
  const span = spans.get(request)
  if (span === undefined) inScope()
  else span.run(inScope)
}
