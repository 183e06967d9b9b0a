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

const UNTRACED = fileURLToPath(new URL('../floors/untraced.ts', import.meta.url))

/**
 * Submissions per second as the service is, and with metrics and an exporter that sends every span to a collector, next to the service
 * without what is noted of spans. All three run at once, and are asked in turns; each round starts with empty tables.
 */
export const tracing: Row = {
  name: 'tracing',
  what: 'POST voice with metrics and tracing, 32 connections',
  reach: `exporter off >= ${LEAST_OFF} of none, on >= ${LEAST_ON}`,
  run: async (environment) => {
    const { url, apiKey } = await environment.database()
    const collector = createServer((request, response) => {
      request.resume().once('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
    })
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
    environment.onClose(async () => collector.close().closeAllConnections())
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
    const plain = await environment.serve('serve', { NODE_OPTIONS: `--import=${UNTRACED}` })
    const off = await environment.serve('serve')
    const on = await environment.serve('serve', { METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
    const rate = (service: { readonly url: string }) => () => measured(environment, url, service.url, apiKey)
    // Compiled by then, as they are for most of their lives.
    for (const service of [plain, off, on, plain, off, on]) await rate(service)()
    const rounds = environment.quick ? 7 : 9
    const without = await interleaved(rounds, { ours: rate(off), floor: rate(plain) })
    const exporting = await interleaved(rounds, { ours: rate(on), floor: rate(plain) })
    await Promise.all([plain, off, on].map((service) => service.stop()))
    const measures = [
      throughput('exporter off', 'req/s', without, LEAST_OFF),
      throughput('exporter on', 'req/s', exporting, LEAST_ON),
    ]
    return { name: 'tracing', measures, notes: [] }
  },
}

async function measured(environment: Environment, database: string, url: string, apiKey: string): Promise<number> {
  await connected(database, (client) => client.query('truncate job cascade; truncate pgboss.job; checkpoint'))
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
