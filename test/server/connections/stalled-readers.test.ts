import { readdirSync, readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endStalledReaders, sendInPieces } from '../../../src/server/connections.ts'
import { call } from '../../setup/http.ts'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { until } from '../../setup/wait.ts'

const TIMEOUT_MS = 1000
/** No claim: the machine may be busy, and the longest text takes an engine seconds on a quiet one. */
const DEADLINE_MS = 60_000
/** Node looks for requests that take too long to arrive every half minute: what ends earlier, it has not ended. */
const NODES_OWN_MS = 25_000
/** More than the kernel's buffers of a connection hold. */
const PLENTY_BYTES = 24_000_000

let service: TestRuntime
let key: string
let media: string
let script: string
beforeAll(async () => {
  service = await startTestRuntime({ stalledReaderMs: TIMEOUT_MS, worker: true, env: { METRICS_PORT: '0' } })
  const { account, key: made } = await service.createCaller()
  key = made
  const { storage, db } = service.runtime
  await Promise.all(Array.from({ length: 100 }, () => insertJob(db, account)))
  await storage.put('job_stalled/long.wav', Buffer.alloc(PLENTY_BYTES), { contentType: 'audio/wav' })
  const [, link = ''] = /src="([^"]+swagger-ui\.js)"/.exec((await call(`${service.url}/docs/reference`)).text) ?? []
  script = new URL(link, `${service.url}/docs/reference`).pathname
  media = new URL(await storage.signUrl('job_stalled/long.wav', { contentType: 'audio/wav', now: new Date() })).href
})
afterAll(() => service?.close())

/** As many and as long violations as an answer lists. */
const WRONG = { inputs: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${'wrong'.repeat(38)}${n}`, 1])) }

const isOpenFile = (name: string): boolean =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).includes(name)
    } catch {
      return false
    }
  })

interface Asked {
  readonly accept?: string
  readonly authorization?: boolean
  /** Posted as JSON. */
  readonly body?: object
  /** The status of the answers; 200 unless told. */
  readonly status?: number
}

/** Asks again and again on one connection, for more than fits into its buffers, and reads nothing of it. */
async function standStill(path: string, { authorization, body, status = 200, ...given }: Asked): Promise<Socket> {
  const [method, sent] = body === undefined ? ['GET', ''] : ['POST', JSON.stringify(body)]
  const headers = { ...given, ...(authorization && { authorization: `Bearer ${key}` }) }
  const reply = await call(service.url + path, { method, headers, ...(body && { body }) })
  expect(reply.status).toBe(status)
  const length = sent === '' ? {} : { 'content-type': 'application/json', 'content-length': sent.length }
  const lines = Object.entries({ host: 'a', ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${sent}`
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' }).pause()
  socket.on('error', () => undefined)
  socket.write(request.repeat(Math.ceil(PLENTY_BYTES / reply.bytes.length)))
  return socket
}

/** Asks once, and reads nothing of the answer; `isEnded` says whether the service has hung up. */
function ask(method: string, path: string, by?: string, body?: object) {
  let other: Socket | undefined
  service.app.server.once('connection', (taken) => {
    other = taken
  })
  const sent = body === undefined ? '' : JSON.stringify(body)
  const named = by === undefined ? '' : `authorization: Bearer ${by}\r\n`
  const length = `content-type: application/json\r\ncontent-length: ${sent.length}\r\n`
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1' }).pause()
  socket.on('error', () => undefined)
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: a\r\n${named}${sent === '' ? '' : length}\r\n${sent}`)
  return { socket, isEnded: () => other?.destroyed === true }
}

/** Reads for two seconds and more, with no pause that is as long as the time limit. Resolves with the bytes. */
async function readSlowly(socket: Socket): Promise<number> {
  let received = 0
  const ended = new Promise((resolve, reject) => socket.once('end', resolve).once('error', reject))
  socket.on('data', (chunk) => {
    const paces = Math.floor((received + chunk.length) / 3_000_000) - Math.floor(received / 3_000_000)
    received += chunk.length
    if (paces > 0) setTimeout(() => socket.resume(), TIMEOUT_MS / 4, socket.pause())
  })
  await ended
  return received
}

describe('a reader that does not read', () => {
  test.each([
    ['media', () => new URL(media).pathname + new URL(media).search, {}],
    ['the catalog', () => '/api/v1/public/voice', {}],
    ['the OpenAPI document', () => '/api/v1/openapi.json', {}],
    ['GraphiQL', () => '/graphql', { accept: 'text/html' }],
    ['the documentation', () => script, {}],
    ['lists of jobs', () => '/api/v1/jobs?limit=100', { authorization: true }],
    ['answers of 400', () => '/api/v1/voice/tts', { authorization: true, body: WRONG, status: 400 }],
  ])('of %s is sent away', async (_what, path, asked: Asked) => {
    const taken = new Map<number | undefined, Socket>()
    const take = (socket: Socket) => taken.set(socket.remotePort, socket)
    service.app.server.on('connection', take)
    const socket = await standStill(path(), asked)
    const other = await until(() => taken.get(socket.localPort), DEADLINE_MS, 'the connection')
    await until(() => (other as Socket).destroyed, DEADLINE_MS, 'the connection to end')
    await until(() => !isOpenFile('long.wav'), DEADLINE_MS, 'the file to be closed')
    service.app.server.off('connection', take)
    socket.destroy()
  })

  test('of metrics is sent away from their port as well', async () => {
    const { length } = (await call(`${service.metricsUrl}/metrics`)).bytes
    const request = 'GET /metrics HTTP/1.1\r\nhost: a\r\n\r\n'
    const socket = connect({ port: Number(new URL(service.metricsUrl).port), host: '127.0.0.1' }).pause()
    socket.on('error', () => undefined)
    socket.write(request.repeat(Math.ceil(PLENTY_BYTES / length)))
    // A sender notices the end of the connection only by sending.
    await until(() => !socket.write(request) && socket.destroyed, NODES_OWN_MS, 'the connection to end')
  })

  test('is sent away whatever it sends meanwhile', async () => {
    const { pathname, search } = new URL(media)
    const { socket, isEnded } = ask('GET', pathname + search)
    // Empty lines in front of a request are passed over: nothing of it begins.
    const sending = setInterval(() => socket.write('\r\n'), TIMEOUT_MS / 20)
    try {
      await until(isEnded, DEADLINE_MS, 'the connection to end')
      await until(() => !isOpenFile('long.wav'), DEADLINE_MS, 'the file to be closed')
    } finally {
      clearInterval(sending)
      socket.destroy()
    }
  })

  test('of speech that is being spoken, at the OpenAI door or live, is sent away; its job ends and costs what was spoken', async () => {
    const input = 'The client reads nothing of this, and it is said all the same. '.repeat(110)
    const { account, key: own } = await service.createCaller(10_000n)
    const door = ask('POST', '/v1/audio/speech', own, { model: 'tts', input, response_format: 'wav' })
    const find = 'select id, status from job where account_id = $1'
    const job = async () => (await service.runtime.db.pool.query(find, [account])).rows[0]
    const { id } = await until(job, DEADLINE_MS, 'the job')
    const query = `{ voiceJob(jobId: "${id}") { liveUrl(format: WAV) } }`
    const answer = await call(`${service.url}/graphql`, { method: 'POST', key: own, body: { query } })
    const { pathname, search } = new URL(
      answer.json<{ data: { voiceJob: { liveUrl: string } } }>().data.voiceJob.liveUrl,
    )
    const live = ask('GET', pathname + search)
    await Promise.all([door, live].map(({ isEnded }) => until(isEnded, DEADLINE_MS, 'the connection to end')))
    await until(async () => (await job()).status === 'completed', DEADLINE_MS, 'the job to end')
    await until(() => !isOpenFile(id), DEADLINE_MS, 'its files to be closed')
    const { rows } = await service.runtime.db.pool.query('select credits from account where id = $1', [account])
    expect(Number(rows[0].credits)).toBe(10_000 - input.length)
    for (const { socket } of [door, live]) socket.destroy()
  })

  test('a slow one that goes on gets everything', async () => {
    const { pathname, search, port } = new URL(media)
    const socket = connect({ port: Number(port), host: '127.0.0.1' })
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    expect(await readSlowly(socket)).toBeGreaterThan(PLENTY_BYTES)
  })

  test('a slow one of an answer that is made whole gets everything', async () => {
    const app = fastify()
    sendInPieces(app)
    endStalledReaders(app.server, TIMEOUT_MS)
    app.get('/', () => 'x'.repeat(PLENTY_BYTES))
    const socket = connect({
      port: Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port),
      host: '127.0.0.1',
    })
    socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
    expect(await readSlowly(socket)).toBeGreaterThan(PLENTY_BYTES)
    await app.close()
  })
})

describe('how long a reader may stand still', () => {
  /** A server that answers with plenty, and a connection to it that reads nothing. */
  async function serve(afterMs: number) {
    const server = createServer((_request, response) => void response.end(Buffer.alloc(PLENTY_BYTES)))
    endStalledReaders(server, afterMs)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const socket = connect({ port, host: '127.0.0.1' }).pause()
    const begun = performance.now()
    const ended = new Promise<number>((resolve) => {
      server.once('connection', (other) => other.once('close', () => resolve(performance.now() - begun)))
    })
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    return { ended, close: () => server.close(() => socket.destroy()).closeAllConnections() }
  }

  test('a reader is sent away after that time, and not after twice as long', async () => {
    // Long next to what a busy machine adds.
    const afterMs = 4000
    const times: number[] = []
    while (times.length < 8 && !times.some((time) => time < afterMs * 1.7)) {
      const { ended, close } = await serve(afterMs)
      times.push(await ended)
      close()
    }
    expect(Math.min(...times)).toBeLessThan(afterMs * 1.7)
    expect(Math.min(...times)).toBeGreaterThan(afterMs)
  })
})
