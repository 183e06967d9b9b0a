import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../setup/http.ts'
import { cleanUp, makeTempDir, startService } from '../../setup/processes/process.ts'
import { until } from '../../setup/wait.ts'

type Line = Readonly<Record<string, unknown>>

interface ExportedSpan {
  readonly name: string
  readonly traceId: string
}
interface ExportedSpans {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] }
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[]
  }[]
}

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A PATH whose `systemd-notify` appends what it is given to the file that stands for the socket. */
async function fakeNotify(): Promise<string> {
  const bin = await makeTempDir()
  await writeFile(join(bin, 'systemd-notify'), '#!/bin/sh\necho "$*" >> "$NOTIFY_SOCKET"\n', { mode: 0o755 })
  return `${bin}:${process.env.PATH}`
}

describe('a process that gets SIGTERM', () => {
  const exported: ExportedSpans[] = []
  let collector: Server
  beforeAll(async () => {
    collector = createServer(async (request, response) => {
      if (request.url === '/otlp/v1/traces') exported.push((await json(request)) as ExportedSpans)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    await cleanUp()
    collector.close()
  })

  test('serves on while it is not ready, then ends; its log names it, and every job by its request and trace; its spans are sent', async () => {
    const there = `127.0.0.1:${(collector.address() as AddressInfo).port}`
    const exporting = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://${there}/otlp/`, OTEL_SERVICE_NAME: 'speech' }
    const telling = { LOG_REQUESTS: '1', ...exporting }
    const notices = join(await makeTempDir(), 'notices')
    const watched = { PATH: await fakeNotify(), NOTIFY_SOCKET: notices, WATCHDOG_USEC: '3000000' }
    const service = await startService({
      env: { DRAIN_SECONDS: '8', EGRESS_ALLOW: '127.0.0.0/8', ...telling, ...watched },
    })
    const { url, key } = service
    const lines = (): Line[] =>
      service
        .stderr()
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line))
    const submit = (text: string) =>
      call(`${url}/api/v1/voice/tts`, {
        ...{ method: 'POST', key, headers: { 'x-request-id': 'asked-by-a-caller' } },
        // The collector speaks no TLS.
        body: { inputs: { text, voice: 'aria' }, webhook_url: `https://${there}/hook` },
      })
    const { job_id: jobId } = (await submit('Once.')).json<{ job_id: string }>()
    const ended = () => lines().find((line) => line.jobId === jobId && line.msg === 'a job ended')
    await until(() => ended() !== undefined, 60_000, 'the line of the job')
    const times = { waitMs: expect.any(Number), runMs: expect.any(Number) }
    expect(ended()).toMatchObject({ pool: 'espeak', attempt: 1, outcome: 'completed', ...times })
    const undelivered = () => lines().find((line) => line.msg === 'a webhook delivery failed')
    await until(() => undelivered() !== undefined, 60_000, 'the line of the delivery')

    const told = async () => (await readFile(notices, 'utf8')).trim().split('\n')
    await until(async () => (await told()).includes('WATCHDOG=1'), 20_000, 'a notice to the watchdog')
    expect((await told())[0]).toBe('READY=1')

    const stopped = service.stop()
    await until(async () => (await call(`${url}/health/ready`)).status === 503, 7_000, 'readiness to end')
    const ready = await call(`${url}/health/ready`)
    expect(ready.json()).toMatchObject({ status: 'unready', process: 'draining', database: 'ok' })
    expect(ready.headers.connection).toBe('close')
    expect((await submit('While it drains.')).status).toBe(202)
    expect(await stopped).toBe(0)

    // A notice is a process of its own: it may overtake the one before it.
    expect((await told()).slice(-2)).toContain('STOPPING=1')
    const origin = { role: 'start', host: expect.any(String), pid: expect.any(Number), version: expect.any(String) }
    for (const line of lines()) expect(line).toMatchObject({ ...origin, time: expect.stringMatching(ISO) })
    expect(lines().at(-1)?.worker).toMatch(/^wrk_/)
    expect(lines()).toContainEqual(
      expect.objectContaining({ msg: 'a request', route: '/api/v1/voice/:slug', status: 202, method: 'POST' }),
    )
    const requested = lines().find(({ msg, route }) => msg === 'a request' && route === '/api/v1/voice/:slug')
    const traceId = requested?.trace_id
    expect(traceId).toMatch(/^[0-9a-f]{32}$/)
    for (const line of [requested, ended(), undelivered()])
      expect(line).toMatchObject({ requestId: 'asked-by-a-caller', trace_id: traceId, span_id: expect.any(String) })
    const spans = exported.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    )
    const inTrace = spans.filter((span) => span.traceId === traceId).map(({ name }) => name)
    expect(inTrace).toEqual(expect.arrayContaining(['POST /api/v1/voice/{slug}', 'render espeak', 'deliver webhook']))
    expect(exported[0]?.resourceSpans[0]?.resource.attributes).toContainEqual(
      expect.objectContaining({ key: 'service.name', value: { stringValue: 'speech' } }),
    )
    expect(service.stderr()).not.toMatch(/Once|While it drains/)
  })
})
