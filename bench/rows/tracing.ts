import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Environment } from '../environment.ts'
import { GOALS } from '../goals.ts'
import { requestsPerSecond } from '../load.ts'
import { interleaved, type Row, throughput } from '../measure.ts'
import { connected } from '../seed.ts'

const CONNECTIONS = 32
const { off: LEAST_OFF, on: LEAST_ON } = GOALS.tracing
const BODY = JSON.stringify({ inputs: { text: 'A sentence that nobody traces.', voice: 'aria' } })

const UNNOTED = fileURLToPath(new URL('../floors/unnoted.ts', import.meta.url))

/**
 * Submissions per second of the service as it is without METRICS_PORT and without OTEL_EXPORTER_OTLP_ENDPOINT, with METRICS_PORT alone, and
 * with both, where an exporter sends every span to a collector. The floor has neither compiled in: it is the service with the modules that
 * note spans and metrics of a submission replaced by ones that note nothing (`floors/unnoted.ts`). No setting takes them out, and none is
 * needed: without METRICS_PORT the service installs no hooks and no timers, and what is left of metrics in a submission is two looks at
 * `telemetry.measures`. All four run at once, and are asked in turns; each round starts with empty tables.
 */
export const tracing: Row = {
  name: 'tracing',
  what: 'POST voice with metrics and tracing, 32 connections',
  reach: `nothing exported >= ${LEAST_OFF} of none, metrics or spans exported >= ${LEAST_ON}`,
  run: async (environment) => {
    const { url, apiKey } = await environment.database()
    const collector = createServer((request, response) => {
      request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
    })
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    environment.onClose(async () => collector.close().closeAllConnections())
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
    const plain = await environment.serve('serve', { NODE_OPTIONS: `--import=${UNNOTED}` })
    const off = await environment.serve('serve')
    const metrics = await environment.serve('serve', { METRICS_PORT: '0' })
    const on = await environment.serve('serve', { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const rate = (service: { readonly url: string }) => () => measured(environment, url, service.url, apiKey)
    // Compiled by then, as they are for most of their lives.
    for (const service of [plain, off, metrics, on, plain, off, metrics, on]) await rate(service)()
    const rounds = environment.quick ? 7 : 9
    const without = await interleaved(rounds, { ours: rate(off), floor: rate(plain) })
    const measuring = await interleaved(rounds, { ours: rate(metrics), floor: rate(plain) })
    const exporting = await interleaved(rounds, { ours: rate(on), floor: rate(plain) })
    await Promise.all([plain, off, metrics, on].map((service) => service.stop()))
    const measures = [
      throughput('neither METRICS_PORT nor exporter', 'req/s', without, LEAST_OFF),
      throughput('METRICS_PORT alone', 'req/s', measuring, LEAST_ON),
      throughput('METRICS_PORT and exporter', 'req/s', exporting, LEAST_ON),
    ]
    return { name: 'tracing', measures, notes: [] }
  },
}

async function measured(environment: Environment, database: string, url: string, apiKey: string): Promise<number> {
  await connected(database, (client) => client.query('truncate job, artifact; truncate pgboss.job; checkpoint'))
  return requestsPerSecond({
    url: `${url}/api/v1/voice/tts`,
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: BODY,
    status: 202,
    connections: CONNECTIONS,
    seconds: environment.quick ? 2 : 4,
  })
}
