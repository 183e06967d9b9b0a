import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import type { Parts } from '../../context/context.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { SAFETY_HEADERS } from '../../http/headers.ts'
import type { Metrics } from '../../telemetry/prometheus.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { endStalledReaders, STALLED_READER_MS } from '../connections.ts'
import { mountErrors, REQUEST_ID_HEADER, requestIdOf, sendError } from '../errors-to-json.ts'
import { explainUnbound } from '../listen.ts'
import { answerMalformedHttp, answerTunnel, answerUnknownExpectation, hostViolation } from '../malformed-http.ts'
import { mountHealth, type Readiness } from '../readiness.ts'
import { openDatabaseReadings } from './database-readings.ts'

const REQUEST_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 5_000
const ALLOWED = 'GET, HEAD'
const ADDRESSES = /^\/(metrics|health\/live|health\/ready)(?=$|[?#])/

interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

type Served = Pick<Parts, 'catalog' | 'db' | 'settings' | 'log' | 'now'> & MeasuredParts

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` on their own port without a key.
 * @throws an error that tells the operator why it cannot listen
 */
export async function openMetricsServer(
  parts: Served,
  { port, host }: { readonly port: number; readonly host: string },
  metrics: Metrics,
  readiness: Readiness,
  stalledReaderMs = STALLED_READER_MS,
): Promise<MetricsServer> {
  const app = fastify({
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: true,
    http: { requireHostHeader: false },
    genReqId: (request) => requestIdOf(request.headers),
    clientErrorHandler: (error, socket) => answerMalformedHttp(error, socket),
    frameworkErrors: (_error, request, reply) =>
      void sendError(prepared(request, reply).header('cache-control', 'no-store'), unknownAddress()),
  })
  app.server.on('checkExpectation', answerUnknownExpectation).on('connect', answerTunnel(ALLOWED))
  mountErrors(app, parts.log)
  app.addHook('onRequest', async (request, reply) => rejectStrange(request, prepared(request, reply)))
  mountHealth(app, readiness)
  const refresh = openDatabaseReadings(parts)
  app.get('/metrics', async (_request, reply) => {
    await refresh()
    return reply.header('content-type', metrics.contentType).send(await metrics.expose())
  })
  endStalledReaders(app.server, stalledReaderMs)
  const url = await app.listen({ port, host }).catch((error: unknown) => {
    throw explainUnbound(error, { host, port, hostVariable: 'METRICS_HOST', portVariable: 'METRICS_PORT' })
  })
  return { url, close: () => app.close() }
}

const prepared = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.headers({ ...SAFETY_HEADERS, [REQUEST_ID_HEADER]: request.id })

/** @throws INVALID_REQUEST, NOT_FOUND, METHOD_NOT_ALLOWED */
function rejectStrange(request: FastifyRequest, reply: FastifyReply): void {
  const violation = hostViolation(request.raw)
  if (violation === null && !request.is404) return
  reply.header('cache-control', 'no-store')
  if (violation !== null) {
    reply.raw.shouldKeepAlive = false
    throw invalidRequest(violation)
  }
  if (!ADDRESSES.test(request.url)) throw unknownAddress()
  reply.header('allow', ALLOWED)
  throw new ServiceError('METHOD_NOT_ALLOWED', 'Use one of the methods in the Allow header.')
}

const unknownAddress = () => new ServiceError('NOT_FOUND', 'Ask for /metrics, /health/live or /health/ready.')
