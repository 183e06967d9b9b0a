import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** Something that a desk worker is about to go on from: a rendering under way, or an artifact just stored. */
export interface Errand {
  readonly what: 'speak' | 'stored'
  /** The text, or the storage key. */
  readonly name: string
  readonly pid: number
}

export interface Desk {
  readonly url: string
  /** All errands so far, in order of arrival. */
  readonly errands: readonly Errand[]
  /** Settles when the worker may go on; at once where the test sets nothing. */
  hold: (errand: Errand) => Promise<void> | void
  close(): Promise<void>
}

/** Where desk workers ask how to go on. */
export async function openDesk(): Promise<Desk> {
  const errands: Errand[] = []
  const serve = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const errand = await errandOf(request)
    errands.push(errand)
    await desk.hold(errand)
    reply.end()
  }
  // A worker may be killed while it asks.
  const server = createServer((request, reply) => void serve(request, reply).catch(() => reply.destroy()))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const desk: Desk = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    errands,
    hold: () => undefined,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return desk
}

async function errandOf(request: IncomingMessage): Promise<Errand> {
  const { name, pid } = (await json(request)) as { name: string; pid: number }
  return { what: request.url === '/speak' ? 'speak' : 'stored', name, pid }
}
