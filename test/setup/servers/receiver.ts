import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { until } from '../wait.ts'
import type { KeyPair } from './certificates.ts'

/** The first job of a service compiles its engine before anything is delivered: on a busy machine that is half a minute. */
const TIMEOUT_MS = 50_000

/** One request as it came. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** performance.now() when its last byte was there. */
  readonly at: number
}

/** The three headers, as a verifier takes them. */
export const signedHeaders = ({ headers }: Received) => ({
  'webhook-id': headers['webhook-id']!,
  'webhook-timestamp': headers['webhook-timestamp']!,
  'webhook-signature': headers['webhook-signature']!,
})

/** The bytes that all attempts of one delivery share. */
export const signedBytes = (request: Received): string =>
  [...Object.values(signedHeaders(request)), request.body.toString('base64')].join(' ')

export type Behaviour = (response: ServerResponse, request: IncomingMessage, nth: number) => void

export interface Receiver {
  /** https://127.0.0.1:port */
  readonly url: string
  readonly port: number
  /** Requests for a path since `on` or `forget`, oldest first: a repeated test counts its own. */
  received(path: string): readonly Received[]
  /** All requests for a path. */
  everReceived(path: string): readonly Received[]
  /** Sets what a path does from now on; without it a path answers 204. */
  on(path: string, behaviour: Behaviour): void
  forget(): void
  waitFor(path: string, count?: number, deadlineMs?: number): Promise<readonly Received[]>
  /** Resets the connection that a request came over. */
  reset(request: IncomingMessage): void
  /** How many connections were made in all. */
  connections(): number
  close(): Promise<void>
}

/** A receiver of webhooks over TLS on 127.0.0.1. */
export async function startReceiver(pair: KeyPair): Promise<Receiver> {
  const log = new Map<string, Received[]>()
  const forgotten = new Map<string, number>()
  const behaviours = new Map<string, Behaviour>()
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer({ ...pair, keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
      const entries = log.get(path) ?? []
      log.set(path, entries)
      entries.push({ path, headers, body: Buffer.concat(chunks), at: performance.now() })
      const behave = behaviours.get(path)
      if (behave !== undefined) behave(response, request, received(path).length)
      else response.writeHead(204).end()
    })
  })
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => undefined)
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const everReceived = (path: string): readonly Received[] => log.get(path) ?? []
  const received = (path: string) => everReceived(path).slice(forgotten.get(path) ?? 0)
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    received,
    everReceived,
    on: (path, behaviour) => {
      forgotten.set(path, everReceived(path).length)
      behaviours.set(path, behaviour)
    },
    forget: () => {
      for (const [path, entries] of log) forgotten.set(path, entries.length)
    },
    waitFor: (path, count = 1, deadlineMs = TIMEOUT_MS) =>
      until(
        () => (received(path).length >= count ? received(path) : undefined),
        deadlineMs,
        `${count} requests to ${path}`,
      ) as Promise<readonly Received[]>,
    reset: ({ socket }) => {
      for (const raw of sockets) if (raw.remotePort === socket.remotePort) raw.resetAndDestroy()
    },
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
