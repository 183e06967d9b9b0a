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
  readonly ensure: () => Promise<void>
  readonly prepare: (client: Client) => Promise<void>
  readonly onLost: () => void
  readonly onBack: () => void
  readonly onNotification: (message: Notification) => void
  readonly pollMs?: number | undefined
}

/** A connection outside the pool that reconnects when lost. */
export interface LastingConnection {
  readonly connected: boolean
  /** Runs `work` after all earlier work; waits for a connection and repeats `work` if it is lost. Throws once closed. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** @throws if the database does not answer now; later losses are retried */
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
    // pg refuses the query shortly before it reports the end.
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

const isLoss = (error: unknown) => !(error instanceof DatabaseError) || error.severity === 'FATAL'
