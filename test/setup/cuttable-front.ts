import { connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between a browser and the service, and can be gone for a while. */
export interface CuttableFront {
  readonly url: string
  /** Ends every connection and takes no more. */
  cut(): Promise<void>
  /** Takes connections again, at the same port. */
  restore(): Promise<void>
}

/** @param target the service's address */
export async function openFront(target: string): Promise<CuttableFront> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server: Server = createServer((near) => {
    const far = connect(Number(port), hostname)
    keep(near)
    keep(far)
    near.on('close', () => far.destroy()).pipe(far)
    far.on('close', () => near.destroy()).pipe(near)
  })
  const listen = (at: number): Promise<void> => new Promise((resolve) => server.listen(at, '127.0.0.1', resolve))
  await listen(0)
  const address = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    restore: () => listen(address.port),
  }
}
