import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { insertJob } from '../../setup/jobs/jobs.ts'
import { lockTable } from '../../setup/postgres/locked-table.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openEventClient, openSocketClient } from '../../setup/service/subscriber.ts'
import { until } from '../../setup/wait.ts'

/** Subscriptions, and sockets, that one key may have in a process. */
const PLACES = 1000
const HANG_UPS = 200
const AT_A_TIME = 50
const AT_ONCE = 15
/** The latest that one of them hangs up after its request. */
const LATEST_MS = 20
/** A thousand subscriptions take seconds of a core. */
const TIMEOUT_MS = 60_000
const JOBS = 'subscription { jobsUpdated { id } }'

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service?.close())

/** Asks for events, and is gone after so many milliseconds, whether there was an answer or not. */
async function hangUp(key: string, afterMs: number): Promise<void> {
  try {
    const headers = {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    }
    const signal = AbortSignal.timeout(afterMs)
    const body = JSON.stringify({ query: JOBS })
    const response = await fetch(`${service.url}/graphql`, { method: 'POST', headers, body, signal })
    await response.text()
  } catch {
    // That it has hung up is what was asked for.
  }
}

const connections = (): Promise<number> =>
  new Promise((resolve) => service.app.server.getConnections((_error, count) => resolve(count)))

function openSocket(key: string): WebSocket {
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  const payload = { authorization: `Bearer ${key}` }
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload })))
  return socket
}

async function answered(socket: WebSocket): Promise<void> {
  const pong = once(socket, 'pong')
  socket.ping()
  await pong
}

test('whose socket closes while its key is looked up leaves its place to others', {
  timeout: 4 * TIMEOUT_MS,
}, async () => {
  const { key, account } = await service.createCaller()
  await insertJob(service.runtime.db, account, { status: 'processing' })
  const keys = await lockTable(service.runtime, 'api_key')
  try {
    const sockets = Array.from({ length: AT_ONCE }, () => openSocket(key))
    await keys.waitedFor(1)
    await until(() => sockets.every(({ readyState }) => readyState === WebSocket.OPEN), TIMEOUT_MS, 'the sockets')
    // Keys are looked up together: no statement says that the last of them has come. What is answered is what came behind it.
    await Promise.all(sockets.map(answered))
    for (const socket of sockets) socket.terminate()
    await until(async () => (await connections()) === 0, TIMEOUT_MS, 'the sockets to be closed')
  } finally {
    await keys.unlock()
  }

  const clients: ReturnType<typeof openSocketClient>[] = []
  try {
    // Not all at once: a socket has three seconds to say whose it is, and this process serves them and opens them.
    while (clients.length < PLACES) {
      const some = Array.from({ length: AT_A_TIME }, () => openSocketClient(service.url, key))
      clients.push(...some)
      const heard = some.map((client) => client.subscribe(JOBS))
      const areAnswered = () => heard.every(({ data, done }) => data.length > 0 || done)
      await until(areAnswered, TIMEOUT_MS, 'all of them to be answered')
      expect(heard.flatMap(({ data, errors }) => (data.length === 0 ? [String(errors)] : []))).toEqual([])
    }
    const beyond = openSocketClient(service.url, key)
    beyond.subscribe(JOBS)
    expect(await beyond.closed()).toBe(4429)
  } finally {
    await Promise.all(clients.map((client) => client.dispose()))
  }
})

test('a client that hangs up at once leaves its capacity to others', { timeout: 4 * TIMEOUT_MS }, async () => {
  const { key, account } = await service.createCaller()
  const jobId = await insertJob(service.runtime.db, account, { status: 'processing' })
  const left = Array.from({ length: HANG_UPS }, (_nothing, n) => 1 + (n % LATEST_MS))
  const next = async (): Promise<void> => {
    for (let afterMs = left.pop(); afterMs !== undefined; afterMs = left.pop()) await hangUp(key, afterMs)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))

  const client = openSocketClient(service.url, key)
  // The last of those who hung up may still be on their way out.
  const open = () => client.subscribe<{ jobsUpdated: { id: string } }>(JOBS)
  let heard: ReturnType<typeof open>[] = []
  const isWhole = async (): Promise<boolean> => {
    for (const one of heard) one.end()
    heard = Array.from({ length: PLACES }, open)
    await until(
      () => heard.every(({ data, done }) => data.length > 0 || done),
      TIMEOUT_MS,
      'all of them to be answered',
    )
    return heard.every(({ data }) => data[0]?.jobsUpdated.id === jobId)
  }
  await until(isWhole, TIMEOUT_MS, 'all capacity to be free')
  const beyond = openEventClient(service.url, key).subscribe(JOBS)
  await beyond.ended()
  expect(beyond.errors).toEqual([
    expect.objectContaining({ extensions: expect.objectContaining({ code: 'RATE_LIMITED' }) }),
  ])
  await client.dispose()
})
