import type { FastifyInstance } from 'fastify'
import type { Telemetry } from '../../telemetry/telemetry.ts'

const UNROUTED = 'unrouted'

export function measureRequests(app: FastifyInstance, telemetry: Telemetry): void {
  if (!telemetry.measures) return
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? UNROUTED : (request.routeOptions.url ?? UNROUTED)
    const labels = { method: request.method, route, status: String(reply.statusCode) }
    telemetry.observe('http_request_duration_seconds', labels, reply.elapsedTime / 1000)
    done()
  })
}
