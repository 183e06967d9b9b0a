import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { type Resolver, systemResolver } from '../../../src/egress/resolver.ts'
import { freePorts } from '../http.ts'
import { startNameServer } from './name-server.ts'

/** Allowed by EGRESS_ALLOW, so that it stands for a public address. */
const OUTSIDE = [127, 0, 0, 2] as const
const INSIDE = [127, 0, 0, 1] as const
/** The value for EGRESS_ALLOW. */
export const OUTSIDE_ALLOWED = `${OUTSIDE.join('.')}/32`

/** Names that lead outside at first, and to this machine from then on. Both addresses hang up at once. */
export interface Rebinding {
  readonly resolver: Resolver
  /** The same at both addresses. */
  readonly port: number
  /** Connections so far. */
  readonly reached: { outside: number; inside: number }
  /** When names lead to this machine: by how many look-ups came before since this was called. */
  turnInside(when: (before: number) => boolean): void
  close(): Promise<void>
}

/** A name server of a test's own, asked over a socket, whose second answer is another one than its first. */
export async function openRebinding(): Promise<Rebinding> {
  let asked = 0
  let isInside = (before: number): boolean => before > 0
  const names = await startNameServer(({ isA, aliasTo }) => aliasTo(isA && isInside(asked++) ? INSIDE : OUTSIDE))
  const reached = { outside: 0, inside: 0 }
  const [port = 0] = await freePorts(1)
  const outside = await hangingUp(OUTSIDE.join('.'), port, () => reached.outside++)
  const inside = await hangingUp(INSIDE.join('.'), port, () => reached.inside++)
  return {
    resolver: systemResolver([names.address]),
    port,
    reached,
    turnInside: (when) => {
      asked = 0
      isInside = when
    },
    close: async () => {
      names.close()
      await Promise.all([outside, inside].map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

async function hangingUp(address: string, port: number, onConnection: () => void): Promise<Server> {
  const server = createServer((socket) => {
    onConnection()
    socket.on('error', () => undefined).destroy()
  })
  await once(server.listen(port, address), 'listening')
  return server
}
