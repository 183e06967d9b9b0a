import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePorts } from '../http.ts'

/** Stands between a browser and the service, and can be gone for a while. */
interface CuttableFront {
  readonly url: string
  /** Ends every connection and takes no more. */
  cut(): Promise<void>
  /** Takes connections again, at the same port, for another service where one is named. */
  restore(target?: string): Promise<void>
  /** Drops whatever comes from either side, and ends nothing, as a network does that is gone. What was dropped never comes. */
  swallow(isSwallowing: boolean): void
}

/** @param target the service's address */
export async function openFront(target: string): Promise<CuttableFront> {
  let { hostname, port } = new URL(target)
  let isSwallowing = false
  const sockets = new Set<Socket>()
  const keep = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server: Server = createServer((near) => {
    const far = connect(Number(port), hostname)
    keep(near)
    keep(far)
    near.on('close', () => far.destroy()).on('data', (chunk) => isSwallowing || far.write(chunk))
    far.on('close', () => near.destroy()).on('data', (chunk) => isSwallowing || near.write(chunk))
  })
  const [own = 0] = await freePorts(1)
  const listen = (): Promise<void> => new Promise((resolve) => server.listen(own, '127.0.0.1', resolve))
  await listen()
  return {
    url: `http://127.0.0.1:${own}`,
    cut: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    restore: (other = target) => {
      ;({ hostname, port } = new URL(other))
      return listen()
    },
    swallow: (is) => {
      isSwallowing = is
    },
  }
}
