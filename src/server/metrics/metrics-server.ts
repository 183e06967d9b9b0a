import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Parts } from '../../context/context.ts'
import { errorHeaders } from '../../errors/describe-error.ts'
import { internalError, invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { SAFETY_HEADERS } from '../../http/headers.ts'
import type { Metrics } from '../../telemetry/prometheus.ts'
import type { MeasuredParts } from '../../telemetry/telemetry.ts'
import { endStalledReaders, STALLED_READER_MS } from '../connections.ts'
import { errorBody, REQUEST_ID_HEADER, requestIdOf } from '../errors-to-json.ts'
import { explainUnbound } from '../listen.ts'
import { answerMalformedHttp, answerTunnel, answerUnknownExpectation, hostViolation } from '../malformed-http.ts'
import { type Readiness, readinessAnswer } from '../readiness.ts'
import { openDatabaseReadings } from './database-readings.ts'

const REQUEST_TIMEOUT_MS = 10_000
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD'])
const ALLOWED = [...METHODS].join(', ')

export interface MetricsServer {
  readonly url: string
  close(): Promise<void>
}

interface Address {
  readonly port: number
  readonly host: string
}

type Served = Pick<Parts, 'db' | 'settings' | 'log' | 'now'> & MeasuredParts

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Serves `/metrics`, `/health/live` and `/health/ready` on their own port without a key.
 * @throws an error that tells the operator why it cannot listen
 */
export async function openMetricsServer(
  parts: Served,
  address: Address,
  metrics: Metrics,
  readiness: Readiness,
  stalledReaderMs = STALLED_READER_MS,
): Promise<MetricsServer> {
  const routes = openRoutes(parts, metrics, readiness)
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, requireHostHeader: false }, (request, response) => {
    const requestId = requestIdOf(request.headers)
    void answerTo(request, routes)
      .catch((error: Error) => {
        parts.log.error({ err: error.message, requestId }, 'a scrape failed')
        return failed(internalError(error))
      })
      .then((answer) => send(request, response, requestId, answer))
  })
  server.on('clientError', answerMalformedHttp)
  server.on('checkExpectation', answerUnknownExpectation)
  server.on('connect', answerTunnel(ALLOWED))
  const url = await listen(server, address)
  endStalledReaders(server, stalledReaderMs)
  return {
    url,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function listen(server: Server, { port, host }: Address): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(explainUnbound(error, { host, port, hostVariable: 'METRICS_HOST', portVariable: 'METRICS_PORT' })),
    )
    server.listen(port, host, resolve)
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`
}

function openRoutes(
  parts: Served,
  metrics: Metrics,
  readiness: Readiness,
): Readonly<Record<string, () => Promise<Answer>>> {
  const readings = openDatabaseReadings(parts)
  return {
    '/metrics': async () => {
      await readings.refresh()
      return { status: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.expose() }
    },
    '/health/live': async () => json(200, {}, { status: 'ok' }),
    '/health/ready': async () => {
      const { status, headers, body } = await readinessAnswer(readiness)
      return json(status, headers, body)
    },
  }
}

async function answerTo(
  request: IncomingMessage,
  routes: Readonly<Record<string, () => Promise<Answer>>>,
): Promise<Answer> {
  const violation = hostViolation(request)
  if (violation !== null) return failed(invalidRequest(violation), { connection: 'close' })
  const route = routes[request.url?.replace(/[?#].*$/s, '') ?? '']
  if (route === undefined) return failed(NOT_FOUND)
  return METHODS.has(request.method) ? route() : failed(NOT_ALLOWED, { allow: ALLOWED })
}

const NOT_FOUND = new ServiceError('NOT_FOUND', 'Ask for /metrics, /health/live or /health/ready.')
const NOT_ALLOWED = new ServiceError('METHOD_NOT_ALLOWED', 'Use one of the methods in the Allow header.')

const json = (status: number, headers: Answer['headers'], body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
})

const failed = (error: ServiceError, headers: Answer['headers'] = {}): Answer => ({
  status: error.status,
  headers: { ...errorHeaders(error), 'cache-control': 'no-store', ...headers },
  body: errorBody(error),
})

function send(request: IncomingMessage, response: ServerResponse, requestId: string, answer: Answer): void {
  const length = Buffer.byteLength(answer.body)
  const own = { ...SAFETY_HEADERS, [REQUEST_ID_HEADER]: requestId, 'content-length': length }
  response.writeHead(answer.status, { ...answer.headers, ...own })
  response.end(request.method === 'HEAD' ? undefined : answer.body)
}
