import { type buildConnector, Client } from 'undici'
import { ATTEMPT_TIMEOUT_MS } from './webhook-delivery.ts'

/** Shorter than a receiver's own idle timeout (5 s in Node), so that a request never meets a closing socket. */
const KEEP_ALIVE_MS = 4000
const SWEEP_MS = 10_000
const MAX_HEADER_BYTES = 16_384

/** Keep-alive connections to receivers; one attempt uses one connection, so a hanging receiver delays no other. */
export interface Connections {
  take(origin: string): Client
  release(origin: string, client: Client): void
  close(): Promise<void>
}

interface Idle {
  readonly client: Client
  readonly since: number
}

export function openConnections(connect: buildConnector.connector): Connections {
  const idle = new Map<string, Idle[]>()
  const sweep = setInterval(() => {
    const old = performance.now() - SWEEP_MS
    for (const [origin, clients] of idle) {
      const young = clients.filter(({ since }) => since > old)
      for (const { client, since } of clients) if (since <= old) void client.destroy()
      if (young.length === 0) idle.delete(origin)
      else idle.set(origin, young)
    }
  }, SWEEP_MS)
  sweep.unref()
  return {
    take: (origin) => idle.get(origin)?.pop()?.client ?? openClient(origin, connect),
    release: (origin, client) => {
      const clients = idle.get(origin)
      const entry = { client, since: performance.now() }
      if (clients === undefined) idle.set(origin, [entry])
      else clients.push(entry)
    },
    close: async () => {
      clearInterval(sweep)
      const clients = [...idle.values()].flat()
      idle.clear()
      await Promise.all(clients.map(({ client }) => client.destroy()))
    },
  }
}

const openClient = (origin: string, connect: buildConnector.connector): Client =>
  new Client(origin, {
    connect,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 2 * ATTEMPT_TIMEOUT_MS,
    bodyTimeout: 2 * ATTEMPT_TIMEOUT_MS,
  })
