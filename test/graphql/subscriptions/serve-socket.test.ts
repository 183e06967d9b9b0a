import { EventEmitter } from 'node:events'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import { buildSchema } from 'graphql'
import { makeServer } from 'graphql-ws'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Connected } from '../../../src/graphql/subscriptions/connect-socket.ts'
import { serveSocket } from '../../../src/graphql/subscriptions/serve-socket.ts'

const MIB = 2 ** 20
const CLOSING_MS = 5_000
const schema = buildSchema('type Query { a: Int }')

/** Notes the calls of a socket; bytes have left once the test says so. */
class StandIn extends EventEmitter {
  readonly protocol = 'graphql-transport-ws'
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  isPaused = false
  readonly sent: string[] = []
  readonly closed: (number | undefined)[] = []
  terminated = 0
  #left: (() => void)[] = []

  send(data: string, done: () => void): void {
    this.sent.push(data)
    this.#left.push(done)
  }

  async leave(): Promise<void> {
    for (const done of this.#left.splice(0)) done()
    await settled()
  }

  async receive(message: object): Promise<void> {
    this.emit('message', Buffer.from(JSON.stringify(message)))
    await settled()
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  ping(): void {}

  terminate(): void {
    this.terminated++
  }

  close(code?: number): void {
    this.closed.push(code)
    this.readyState = 2
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const PING = { type: 'ping' }

let socket: StandIn
const open = (isKnown: boolean) => {
  socket = new StandIn()
  const server = makeServer<Record<string, unknown>, Connected['extra']>({
    schema,
    onConnect: ({ extra }) => {
      extra.isKnown = isKnown
      return true
    },
  })
  serveSocket(server, socket as unknown as WebSocket, {} as FastifyRequest)
  return socket
}
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => {
  socket.emit('close', 1000, Buffer.from(''))
  vi.useRealTimers()
})

describe('a client that sends without reading', () => {
  test('is not read from while a megabyte waits for it', async () => {
    const client = open(true)
    await client.receive({ type: 'connection_init' })
    client.bufferedAmount = MIB
    await client.receive(PING)
    expect(client.isPaused).toBe(true)
    client.bufferedAmount = 0
    await client.leave()
    expect(client.isPaused).toBe(false)
  })

  test('has a minute while it is not read from, as its pongs are not read either; else until the next ping', async () => {
    const paused = open(true)
    await paused.receive({ type: 'connection_init' })
    paused.pause()
    vi.advanceTimersByTime(70_000)
    expect(paused.terminated).toBe(0)
    vi.advanceTimersByTime(12_000)
    expect(paused.terminated).toBe(1)
    const silent = open(true)
    await silent.receive({ type: 'connection_init' })
    vi.advanceTimersByTime(24_000)
    expect(silent.terminated).toBe(1)
  })
})

test('a client that is not known has little to say, is not heard after that, and has no socket soon', async () => {
  const client = open(false)
  for (let n = 0; n < 50; n++) await client.receive(PING)
  expect(client.closed).toEqual([])
  for (let n = 0; n < 50; n++) await client.receive(PING)
  expect(client.closed).toEqual([4400])
  expect(client.terminated).toBe(0)
  vi.advanceTimersByTime(CLOSING_MS)
  expect(client.terminated).toBe(1)
})
