import { setTimeout as wait } from 'node:timers/promises'
import { type Client, DatabaseError, type Notification } from 'pg'
import type { Log } from '../values/log.ts'
import { endSilent } from './connections/end-silent.ts'
import type { Servers } from './connections/servers.ts'

const FIRST_BACKOFF_MS = 50
const LONGEST_BACKOFF_MS = 1_000

interface LastingOptions {
  readonly servers: Servers
  readonly name: string
  readonly log: Log
  /** Before each attempt to reconnect. */
  readonly ensure: () => Promise<void>
  /** On a new connection, before any other user has it. */
  readonly prepare: (client: Client) => Promise<void>
  readonly onLost: () => void
  /** After a lost connection was replaced. */
  readonly onBack: () => void
  readonly onNotification: (message: Notification) => void
  /** How often a connection that says nothing is polled; absent: as `endSilent` has it. */
  readonly pollMs?: number | undefined
}

/** One connection outside the pool that is replaced when it is lost. */
export interface LastingConnection {
  readonly connected: boolean
  /**
   * Runs `work` after all that came before it, waiting for a connection where there is none, and again when the connection is lost under
   * it. Throws once closed.
   */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Throws when the database does not answer now; after that it never gives up. */
export async function openLastingConnection(options: LastingOptions): Promise<LastingConnection> {
  const closing = new AbortController()
  const enqueue = openQueue()
  const connect = () => openClient(options, enqueue, replace)
  let connected = true
  let current = Promise.resolve(await connect())

  function replace(): void {
    if (closing.signal.aborted) return
    connected = false
    options.onLost()
    options.log.warn({ connection: options.name }, 'a database connection was lost')
    current = reconnect(options, connect, closing.signal)
    current.then(
      () => {
        connected = true
        options.onBack()
      },
      () => undefined,
    )
  }

  return {
    get connected() {
      return connected
    },
    run: (work) => enqueue(() => retry(() => current, work, closing.signal)),
    close: async () => {
      closing.abort()
      await current.then((client) => client.end()).catch(() => undefined)
    },
  }
}

type Enqueue = <T>(work: () => Promise<T>) => Promise<T>

/** pg takes one query at a time: that it queues up others itself is going to end. */
function openQueue(): Enqueue {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const ended = last.then(work)
    last = ended.catch(() => undefined)
    return ended
  }
}

async function retry<T>(
  connection: () => Promise<Client>,
  work: (client: Client) => Promise<T>,
  closing: AbortSignal,
): Promise<T> {
  for (;;) {
    const client = await connection()
    try {
      return await work(client)
    } catch (error) {
      if (!isLoss(error) || closing.aborted) throw error
    }
    // pg refuses the query shortly before it says that the connection ended.
    await wait(FIRST_BACKOFF_MS)
  }
}

async function reconnect(
  options: LastingOptions,
  connect: () => Promise<Client>,
  closing: AbortSignal,
): Promise<Client> {
  for (let backoff = FIRST_BACKOFF_MS; ; backoff = Math.min(backoff * 2, LONGEST_BACKOFF_MS)) {
    try {
      await options.ensure()
      return await connect()
    } catch (error) {
      options.log.debug({ err: error instanceof Error ? error.message : String(error) }, 'still no database connection')
    }
    await wait(backoff, undefined, { signal: closing })
  }
}

async function openClient(options: LastingOptions, enqueue: Enqueue, onLost: () => void): Promise<Client> {
  const client = await options.servers.connect({ application_name: options.name })
  let ended = false
  let serving = false
  endSilent(client, { everyMs: options.pollMs, ask: () => enqueue(() => client.query('select')) })
  client.on('notification', options.onNotification)
  client.once('end', () => {
    ended = true
    if (serving) onLost()
  })
  try {
    // A role's limit is meant for connections that nobody needs any more.
    await client.query('set idle_session_timeout = 0')
    await options.prepare(client)
    if (ended) throw new Error('The connection was lost while it was prepared.')
  } catch (error) {
    await client.end()
    throw error
  }
  serving = true
  return client
}

/** Whether an error means the connection and not the statement: what the server says itself is fatal, or did not come from it. */
const isLoss = (error: unknown) => !(error instanceof DatabaseError) || error.severity === 'FATAL'
