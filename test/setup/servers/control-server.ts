import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Something that a controlServer worker is about to go on from: a rendering under way, or an artifact just stored. */
export interface Checkpoint {
  readonly what: 'speak' | 'stored'
  /** The text, or the storage key. */
  readonly name: string
  readonly pid: number
}

export interface ControlServer {
  readonly url: string
  /** All checkpoints so far, in order of arrival. */
  readonly checkpoints: readonly Checkpoint[]
  /** Settles when the worker may go on; at once where the test sets nothing. */
  hold: (checkpoint: Checkpoint) => Promise<void> | void
  close(): Promise<void>
}

/** Where controlServer workers ask how to go on. */
export async function openControlServer(): Promise<ControlServer> {
  const checkpoints: Checkpoint[] = []
  const serve = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const checkpoint = await checkpointOf(request)
    checkpoints.push(checkpoint)
    await controlServer.hold(checkpoint)
    reply.end()
  }
  // A worker may be killed while it asks.
  const server = createServer((request, reply) => void serve(request, reply).catch(() => reply.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const controlServer: ControlServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    checkpoints,
    hold: () => undefined,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return controlServer
}

async function checkpointOf(request: IncomingMessage): Promise<Checkpoint> {
  const { name, pid } = (await json(request)) as { name: string; pid: number }
  return { what: request.url === '/speak' ? 'speak' : 'stored', name, pid }
}
