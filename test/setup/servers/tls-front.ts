import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import type { KeyPair } from './certificates.ts'
import { listening } from './listening.ts'

/**
 * TLS in front of PostgreSQL's socket, as a server with `ssl = on` speaks it: encrypted once the client asks for it. `encrypted` counts.
 * @returns the database through it, without any parameter
 */
export async function startTlsFront(databaseUrl: string, { key, cert }: KeyPair) {
  const target = new URL(databaseUrl)
  const path = join(target.searchParams.get('host') ?? '', '.s.PGSQL.5432')
  let encrypted = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    void once(socket, 'data').then(() => {
      // Only an SSLRequest comes first here.
      socket.write('S')
      const client = new TLSSocket(socket, { isServer: true, key, cert })
      const upstream = createConnection(path)
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on('error', () => other.destroy()).on('close', () => other.destroy())
        one.pipe(other)
      }
      client.once('secure', () => encrypted++)
    })
  })
  const { url, close } = await listening(server, 0)
  return {
    url: `postgresql://${target.username}@${new URL(url).host}${target.pathname}`,
    encrypted: () => encrypted,
    close,
  }
}
