import type { IncomingMessage } from 'node:http'
import websocket, { type WebSocket } from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import { handleProtocols } from 'graphql-ws'
import { unavailable } from '../errors/service-error.ts'

export const GRAPHQL_PATH = '/graphql'

const PATHS = /^(\/graphql|\/v1\/text-to-speech\/[^/?]+\/(multi-)?stream-input)(?=\?|$)/
const KEY = /^[+/0-9A-Za-z]{22}==$/
/** RFC 9110 section 5.6.2. */
const PROTOCOLS = /^[!#$%&'*+\-.^_`|~\w]+(\s*,\s*[!#$%&'*+\-.^_`|~\w]+)*$/
const VERSION = /^(8|13)$/
const CLOSE_TIMEOUT_MS = 1000
const PING_EVERY_MS = 12_000
const MAX_UNSENT_BYTES = 4 * 2 ** 20
const MOST_MISSED_PAUSED = 4

export const isHandshake = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  PATHS.test(url ?? '') &&
  headers.upgrade?.toLowerCase() === 'websocket' &&
  headers.connection?.toLowerCase().includes('upgrade') === true

/** Only a well-formed handshake (RFC 6455 section 4.2.1) leaves HTTP, because HTTP's time limits end there. */
export function leavesHttp(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request
  return isHandshake(request) && httpVersion === '1.1' && isWellFormed(headers)
}

function isWellFormed(headers: IncomingMessage['headers']): boolean {
  const protocols = headers['sec-websocket-protocol']
  if (!KEY.test(headers['sec-websocket-key'] ?? '') || !VERSION.test(headers['sec-websocket-version'] ?? ''))
    return false
  return protocols === undefined || isProtocolList(protocols)
}

function isProtocolList(header: string): boolean {
  if (!PROTOCOLS.test(header)) return false
  const names = header.split(',').map((name) => name.trim())
  return new Set(names).size === names.length
}

/** Serves the WebSockets of all APIs, because each such server would answer every handshake. */
export async function mountSocketServer(scope: FastifyInstance, maxPayload: number): Promise<void> {
  let closing = false
  const preClose = function (this: FastifyInstance, done: () => void): void {
    closing = true
    closeSockets(this, done)
  }
  await scope.register(websocket, { options: { maxPayload, handleProtocols }, preClose })
  scope.addHook('onRequest', async ({ ws }) => {
    if (ws && closing) throw unavailable('the process is stopping')
  })
}

function closeSockets({ websocketServer }: FastifyInstance, done: () => void): void {
  for (const client of websocketServer.clients) client.close(1001, 'Going away')
  setTimeout(() => {
    for (const client of websocketServer.clients) client.terminate()
  }, CLOSE_TIMEOUT_MS).unref()
  websocketServer.close(() => done())
}

/** Pings a client, and disconnects one that misses a ping or leaves too much unread. Returns a function that ends it. */
export function keepSocketAlive(socket: WebSocket): () => void {
  let missed = 0
  const timer = setInterval(() => {
    const most = socket.isPaused ? MOST_MISSED_PAUSED : 0
    if (missed > most || socket.bufferedAmount > MAX_UNSENT_BYTES) return socket.terminate()
    missed++
    socket.ping()
  }, PING_EVERY_MS)
  socket.on('pong', () => {
    missed = 0
  })
  return () => clearInterval(timer)
}
