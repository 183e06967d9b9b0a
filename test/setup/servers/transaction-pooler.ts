import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { SessionClient } from '../../../src/db/connections/session-client.ts'
import { listening } from './listening.ts'

const PARAMETERS = { server_version: '18.4', server_encoding: 'UTF8', client_encoding: 'UTF8', DateStyle: 'ISO, MDY' }
const STARTUP_BYTES = 4
const CANCEL_REQUEST = 80_877_102

/** One connection to PostgreSQL, lent to one client at a time. */
interface Backend {
  readonly client: SessionClient
  readonly stream: Socket
  holder: Socket | null
}

/**
 * Stands in for PgBouncer with `pool_mode = transaction`: clients are given a connection to PostgreSQL with their first statement, and lose
 * it at the end of the transaction. The one that was used last is given out first.
 * @returns the database through the pooler
 */
export async function startTransactionPooler(databaseUrl: string) {
  const [idle, all]: [Backend[], Set<Backend>] = [[], new Set()]
  const clients = new Set<Socket>()
  const keys = new Map<number, Socket>()

  const lend = async (client: Socket): Promise<Backend> => {
    const backend = idle.pop() ?? (await openBackend(databaseUrl, release))
    all.add(backend)
    backend.holder = client
    return backend
  }
  const release = (backend: Backend): void => {
    backend.holder = null
    idle.push(backend)
  }
  /** Ends what PostgreSQL does for another client now, whichever connection that is on. */
  const cancel = async (client: Socket, key: number): Promise<void> => {
    const backend = [...all].find(({ holder }) => holder !== null && holder === keys.get(key))
    if (backend !== undefined) await backend.client.cancelStatement()
    client.end()
  }
  const serve = async (client: Socket): Promise<void> => {
    clients.add(client)
    await once(client, 'readable')
    const first = client.read() as Buffer
    if (first.readInt32BE(4) === CANCEL_REQUEST) return cancel(client, first.readInt32BE(8))
    const key = randomInt(2 ** 31)
    keys.set(key, client)
    client.write(welcome(key))
    let backend: Backend | null = null
    for await (const bytes of client) {
      if ((bytes as Buffer).toString('latin1', 0, 1) === 'X') break
      if (backend?.holder !== client) backend = await lend(client)
      backend.stream.write(bytes as Buffer)
    }
    client.end()
    // A client's open transaction ends with its connection.
    if (backend?.holder === client) backend.stream.destroy()
  }

  const server = createServer((client) => {
    client.on('error', () => undefined)
    void serve(client).catch(() => client.destroy())
  })
  const { url, close } = await listening(server, 0)
  const target = new URL(databaseUrl)
  return {
    url: `postgresql://${target.username}@${new URL(url).host}${target.pathname}`,
    close: async () => {
      for (const client of clients) client.destroy()
      for (const { stream } of all) stream.destroy()
      await close()
    },
  }
}

/** Passes answers on, and comes back once PostgreSQL says that it is ready and outside of a transaction. */
async function openBackend(connectionString: string, release: (backend: Backend) => void): Promise<Backend> {
  const client = new SessionClient({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const backend: Backend = { client, stream, holder: null }
  let rest = Buffer.alloc(0)
  stream.removeAllListeners('data')
  stream.on('data', (bytes: Buffer) => {
    backend.holder?.write(bytes)
    rest = Buffer.concat([rest, bytes])
    while (rest.length > STARTUP_BYTES && rest.length > rest.readInt32BE(1)) {
      const end = 1 + rest.readInt32BE(1)
      const isIdle = rest.toString('latin1', 0, 1) === 'Z' && rest.toString('latin1', end - 1, end) === 'I'
      rest = rest.subarray(end)
      if (isIdle) release(backend)
    }
  })
  return backend
}

/** Every client may connect; the key of the connection is the pooler's own. */
function welcome(processId: number): Buffer {
  const parameters = Object.entries(PARAMETERS).map(([name, value]) => message('S', Buffer.from(`${name}\0${value}\0`)))
  const key = Buffer.alloc(8)
  key.writeUInt32BE(processId, 0)
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    ...parameters,
    message('K', key),
    message('Z', Buffer.from('I')),
  ])
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
