import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

interface DelayProxy {
  /** The same address through the proxy. */
  readonly url: string
  close(): Promise<void>
}

/** Passes on bytes in their order, half of the round trip later in either direction: a far machine. */
export async function startDelayProxy(target: string, roundTripMs: number): Promise<DelayProxy> {
  const far = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const there = connect(Number(far.port), far.hostname)
    pass(near, there, roundTripMs / 2)
    pass(there, near, roundTripMs / 2)
    for (const socket of [near, there]) {
      sockets.add(socket.setNoDelay(true))
      socket.on('close', () => sockets.delete(socket))
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function pass(from: Socket, to: Socket, delayMs: number): void {
  const later = (act: () => unknown) => setTimeout(act, delayMs)
  from.on('error', () => to.destroy())
  from.on('data', (bytes) => later(() => to.destroyed || to.write(bytes)))
  from.on('close', () => later(() => to.destroy()))
}
