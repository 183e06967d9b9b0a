import type { FastifyInstance } from 'fastify'
import type { Log } from '../values/log.ts'

/** Logs the route's pattern of each request, never its address, which may hold secrets. */
export function logRequests(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { id: requestId, method } = request
    const route = request.is404 ? null : (request.routeOptions.url ?? null)
    log.info({ requestId, method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'a request')
    done()
  })
}
