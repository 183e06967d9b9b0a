import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { freePorts } from '../http.ts'
import { until } from '../wait.ts'

/** A server of a test's own that listens on the loopback. */
export interface Listening {
  readonly url: string
  readonly port: number
  /** How many connections it was given so far. */
  connections(): number
  openConnections(): number
  /** Ends every connection, too. */
  close(): Promise<void>
}

/** @param port 0 for one that stays free once this server is closed, so that another one can start there */
export async function listening(server: Server, port: number): Promise<Listening> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const [free = 0] = port === 0 ? await freePorts(1) : [port]
  await once(server.listen(free, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${free}`,
    port: free,
    connections: () => connections,
    openConnections: () => sockets.size,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

/**
 * As a server that crashes whenever it starts: for so many milliseconds connections to the port are taken, and ended at once.
 * @returns how many there were
 */
export async function crashingFor(ms: number, port: number): Promise<number> {
  let knocks = 0
  const crashing = createServer((socket) => {
    knocks++
    socket.on('error', () => undefined).destroy()
  })
  await once(crashing.listen(port, '127.0.0.1'), 'listening')
  const back = performance.now() + ms
  await until(() => performance.now() > back, ms * 2, 'the time to come back')
  await new Promise((resolve) => crashing.close(resolve))
  return knocks
}
