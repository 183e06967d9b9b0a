import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Parts } from '../../context/context.ts'
import type { Metrics } from '../../telemetry/prometheus.ts'
import { explainUnbound } from '../explain-unbound.ts'
import { readinessAnswer } from '../health.ts'
import type { Readiness } from '../readiness.ts'
import { openDatabaseReadings } from './database-readings.ts'

/** A scraper that takes its time for a few lines has gone. */
const REQUEST_TIMEOUT_MS = 10_000
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD'])

/** The door for what watches a process: it has a port of its own, and asks for no key. */
export interface MetricsServer {
  /** Where it listens. */
  readonly url: string
  close(): Promise<void>
}

type Served = Pick<Parts, 'db' | 'settings' | 'telemetry' | 'log' | 'now'>

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Serves `/metrics`, `/health/live` and `/health/ready`.
 * @throws Error, one sentence on what the operator has to change, where it cannot listen
 */
export async function openMetricsServer(
  parts: Served,
  { port, host }: { readonly port: number; readonly host: string },
  metrics: Metrics,
  readiness: Readiness,
): Promise<MetricsServer> {
  const routes = openRoutes(parts, metrics, readiness)
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const route = routes[request.url?.replace(/[?#].*$/s, '') ?? '']
    const answer = route === undefined ? json(404, {}, NOT_FOUND) : METHODS.has(request.method) ? route() : NOT_ALLOWED
    void Promise.resolve(answer)
      .catch((error: Error) => {
        parts.log.error({ err: error.message }, 'a scrape failed')
        return json(500, {}, { error: 'The metrics could not be read.' })
      })
      .then((given) => send(response, given, request.method === 'HEAD'))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(explainUnbound(error, { host, port, hostVariable: 'METRICS_HOST', portVariable: 'METRICS_PORT' })),
    )
    server.listen(port, host, resolve)
  })
  const { address, family, port: bound } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
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

const json = (status: number, headers: Answer['headers'], body: object): Answer => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: JSON.stringify(body),
})

const NOT_FOUND = { error: 'Ask for /metrics, /health/live or /health/ready.' }
const NOT_ALLOWED = json(405, { allow: 'GET, HEAD' }, { error: 'Use one of the methods in the Allow header.' })

function send(response: ServerResponse, { status, headers, body }: Answer, headOnly: boolean): void {
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  })
  response.end(headOnly ? undefined : body)
}
