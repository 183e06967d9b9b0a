import { context, propagation, SpanKind, trace } from '@opentelemetry/api'
import * as sdk from '@opentelemetry/sdk-trace-node'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampledWithin } from '../../src/telemetry/open-tracing.ts'
import { call } from '../setup/http.ts'
import { allFinished, applyEndpoint } from '../setup/jobs/voice-jobs.ts'
import type { Received } from '../setup/servers/receiver.ts'
import { type SpeechCall, type SpeechServer, startSpeechServer } from '../setup/servers/speech-server.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../setup/service/webhooks.ts'
import { until } from '../setup/wait.ts'

const TEXT = 'Sung by nobody but the tracer.'
const [TRACE_ID, PARENT_ID] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'] as const
const DEADLINE_MS = 30_000

const exporter = new InMemorySpanExporter()
let mayBegin = true
const provider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(exporter)],
  sampler: sampledWithin(sdk, () => mayBegin),
})

let fixture: WebhookFixture
let server: SpeechServer
let key: string
let jobId: string
let delivered: Received
let asked: SpeechCall
let queued: { trace?: string; requestId?: string }[]

const spans = () => exporter.getFinishedSpans()
const isWork = (span: ReadableSpan): boolean =>
  spans().some(({ parentSpanContext }) => parentSpanContext?.spanId === span.spanContext().spanId)
/**
 * The one span of a name. The queue delivers a job again whose worker it has not heard of for ten seconds, as happens to a machine that is
 * busy enough; that delivery finds the job finished, and does nothing.
 */
const named = (name: string): ReadableSpan => {
  const found = spans().filter((span) => span.name === name && span.spanContext().traceId === TRACE_ID)
  const own = found.length > 1 && name.startsWith('process ') ? found.filter(isWork) : found
  expect(own.map((span) => span.name)).toEqual([name])
  return own[0]!
}
const parentOf = (name: string) => named(name).parentSpanContext?.spanId
const idOf = (name: string) => named(name).spanContext().spanId

beforeAll(async () => {
  provider.register()
  server = await startSpeechServer()
  fixture = await openWebhookFixture({ worker: true, webhooks: true })
  const { service, receiver } = fixture
  await applyEndpoint(service.runtime, 'traced', { base_url: server.url, max_in_flight: 1, pool: 'traced' })
  const owner = await createOwner(service, `${receiver.url}/hook/secret-path`)
  key = owner.key
  await service.runtime.db.pool.query(
    `create table queued_data (data jsonb);
     create function keep_data() returns trigger language plpgsql as $$ begin insert into queued_data values (new.data); return null; end $$;
     create trigger keep_data after insert on pgboss.job_common for each row execute function keep_data()`,
  )
  const headers = {
    traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`,
    tracestate: 'vendor=1',
    baggage: 'secret=of-the-caller',
    'x-request-id': 'the-request-itself',
  }
  const inputs = { text: TEXT, voice: 'calm' }
  const submitted = await call(`${service.url}/api/v1/voice/traced`, { method: 'POST', key, headers, body: { inputs } })
  jobId = submitted.json<{ job_id: string }>().job_id
  ;[delivered] = (await receiver.waitFor('/hook/secret-path')) as [Received]
  await allFinished(service.runtime, [jobId])
  asked = server.calls[0]!
  await until(() => spans().some(({ name }) => name === 'process webhook'), DEADLINE_MS, 'the last span')
  queued = (await service.runtime.db.pool.query('select data from queued_data')).rows.map(({ data }) => data)
})
afterAll(async () => {
  await fixture?.close()
  await server?.close()
  await provider.shutdown()
  for (const api of [trace, context, propagation]) api.disable()
})

describe('one trace', () => {
  test('goes on from the caller’s traceparent over the queue to the engine, the storage and the webhook', () => {
    const request = 'POST /api/v1/voice/{slug}'
    expect(parentOf(request)).toBe(PARENT_ID)
    expect(parentOf('send voice.traced')).toBe(idOf(request))
    expect(parentOf('process voice.traced')).toBe(idOf('send voice.traced'))
    expect(parentOf('POST speech')).toBe(idOf('process voice.traced'))
    expect(parentOf('put')).toBe(idOf('process voice.traced'))
    expect(parentOf('commit')).toBe(idOf('process voice.traced'))
    expect(parentOf('send webhook')).toBe(idOf('commit'))
    expect(parentOf('process webhook')).toBe(idOf('send webhook'))
    expect(parentOf('deliver webhook')).toBe(idOf('process webhook'))
  })

  test('links a worker’s span to the one that queued the job, as the wait may be hours', () => {
    for (const queue of ['voice.traced', 'webhook']) {
      const { kind, links } = named(`process ${queue}`)
      expect(kind).toBe(SpanKind.CONSUMER)
      expect(links.map((link) => link.context.spanId)).toEqual([idOf(`send ${queue}`)])
    }
    const kinds = ['POST /api/v1/voice/{slug}', 'send voice.traced', 'POST speech', 'deliver webhook']
    expect(kinds.map((name) => named(name).kind)).toEqual([
      SpanKind.SERVER,
      SpanKind.PRODUCER,
      SpanKind.CLIENT,
      SpanKind.CLIENT,
    ])
  })

  test('has the attributes of the semantic conventions, and the id of the job', () => {
    expect(named('POST /api/v1/voice/{slug}').attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/voice/{slug}',
      'http.response.status_code': 202,
    })
    const { hostname, port } = new URL(server.url)
    expect(named('POST speech').attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': hostname,
      'server.port': Number(port),
      'http.response.status_code': 200,
    })
    expect(named('send voice.traced').attributes).toMatchObject({
      'messaging.system': 'pg-boss',
      'messaging.destination.name': 'voice.traced',
      'messaging.operation.type': 'send',
      'sonant.job.id': jobId,
    })
    expect(named('deliver webhook').attributes['http.response.status_code']).toBe(204)
  })

  test('goes to the engine and to the receiver in traceparent, and nothing else that the caller sent does', () => {
    const told = (spanId: string) => `00-${TRACE_ID}-${spanId}-01`
    expect(asked.headers.traceparent).toBe(told(idOf('POST speech')))
    expect(delivered.headers.traceparent).toBe(told(idOf('deliver webhook')))
    expect([asked.headers.baggage, delivered.headers.baggage]).toEqual([undefined, undefined])
  })

  test('waits in the queue as 55 bytes next to the id of the request, for the job and for its delivery', () => {
    expect(queued).toHaveLength(2)
    for (const { trace: traceparent, requestId } of queued) {
      expect(requestId).toBe('the-request-itself')
      expect(traceparent).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`))
    }
  })

  test('holds no text, key, secret or path of an address', () => {
    const shown = JSON.stringify(
      spans().map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
    )
    for (const secret of [TEXT, key, 'secret-path', 'of-the-caller', '/artifacts/']) expect(shown).not.toContain(secret)
  })
})

test('a failed engine marks the spans of its trace by codes alone', async () => {
  exporter.reset()
  server.answer(() => ({ status: 400, json: { error: { message: TEXT } } }))
  const { service } = fixture
  const body = { inputs: { text: TEXT, voice: 'calm' } }
  const reply = await call(`${service.url}/api/v1/voice/traced`, { method: 'POST', key, body })
  await allFinished(service.runtime, [reply.json<{ job_id: string }>().job_id])
  // Its delivery's spans are the last: none may come while the next trace is looked at.
  const areThere = () =>
    ['process voice.traced', 'process webhook'].every((one) => spans().some(({ name }) => name === one))
  await until(areThere, DEADLINE_MS, 'the spans of the worker')
  const asking = spans().find(({ name }) => name === 'POST speech')!
  expect(asking.attributes['http.response.status_code']).toBe(400)
  expect(JSON.stringify(spans().map(({ attributes, status, events }) => [attributes, status, events]))).not.toContain(
    TEXT,
  )
})

describe('a process that begins no new trace', () => {
  let asked: number
  let delivery: Received

  beforeAll(async () => {
    mayBegin = false
    exporter.reset()
    const { service, receiver } = fixture
    await service.runtime.db.pool.query('truncate queued_data')
    server.answer(() => ({}))
    asked = server.calls.length
    const body = { inputs: { text: TEXT, voice: 'calm' } }
    const reply = await call(`${service.url}/api/v1/voice/traced`, { method: 'POST', key, body })
    const { job_id } = reply.json<{ job_id: string }>()
    await allFinished(service.runtime, [job_id])
    const ofJob = () => receiver.received('/hook/secret-path').find(({ body }) => body.includes(job_id))
    await until(() => ofJob() !== undefined, DEADLINE_MS, 'the webhook')
    delivery = ofJob()!
  })
  afterAll(() => {
    mayBegin = true
  })

  test('leaves a job out on its whole way, in the worker and for its delivery as well', async () => {
    const { rows } = await fixture.service.runtime.db.pool.query('select data from queued_data')
    for (const { data } of rows) expect(data.trace).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    expect(rows).toHaveLength(2)
    expect(spans().map(({ name }) => name)).toEqual([])
  })

  test('has other servers leave it out as well, by a trace that is not sampled', () => {
    expect(server.calls.length).toBe(asked + 1)
    const sent = [server.calls.at(-1)!.headers.traceparent, delivery.headers.traceparent] as string[]
    for (const traceparent of sent) expect(traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    expect(new Set(sent).size).toBe(2)
  })

  test('goes on with a trace that the caller has begun, and not with a header that is none', async () => {
    const asks = (traceparent: string) => call(`${fixture.service.url}/api/v1/voice`, { key, headers: { traceparent } })
    await asks('00-none')
    await asks(`00-${TRACE_ID}-${PARENT_ID}-01`)
    await until(() => spans().length > 0, DEADLINE_MS, 'the span of the request')
    expect(spans().map((span) => span.spanContext().traceId)).toEqual([TRACE_ID])
  })
})
