import { type buildConnector, Client } from 'undici'
import { ATTEMPT_TIMEOUT_MS } from './webhook-delivery.ts'

/** An idle socket is closed before the receiver's own timeout (5 s in Node): a request must not cross with its goodbye. */
const KEEP_ALIVE_MS = 4000
const SWEEP_MS = 10_000
const MAX_HEADER_BYTES = 16_384

/** Kept-alive connections to receivers. An attempt has its own while it lasts, so that one that hangs delays no other. */
export interface Connections {
  /** A connection to the origin; it is opened, or opened again, by the guarded connector when it is used. */
  take(origin: string): Client
  /** For the next attempt. Only after a whole response. */
  release(origin: string, client: Client): void
  close(): Promise<void>
}

interface Idle {
  readonly client: Client
  readonly since: number
}

/** Opens and keeps connections to receivers. */
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
    // The attempt's own deadline ends whatever hangs; these stay behind it.
    headersTimeout: 2 * ATTEMPT_TIMEOUT_MS,
    bodyTimeout: 2 * ATTEMPT_TIMEOUT_MS,
  })
