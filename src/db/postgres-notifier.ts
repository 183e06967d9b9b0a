import { setTimeout as wait } from 'node:timers/promises'
import { type Client, DatabaseError, escapeIdentifier, type Notification } from 'pg'
import { BatchedCalls } from '../concurrency/batch-calls.ts'
import type { Log } from '../values/log.ts'
import type { Servers } from './connections/servers.ts'
import { endSilent } from './lock.ts'
import type { Notifier } from './notifier.ts'

export const NOTIFIER = 'sonant notifier'
const LONGEST_CHANNEL_BYTES = 63
const LONGEST_PAYLOAD_BYTES = 7_999
const LARGEST_BATCH = 1_000
const MOST_WAITING = 10_000
const FIRST_BACKOFF_MS = 50
const LONGEST_BACKOFF_MS = 1_000

interface Subscriber {
  readonly onMessage: (payload: string) => void
  readonly onResync: (() => void) | undefined
}

interface BusOptions {
  readonly ensure?: () => Promise<void>
  readonly onLost?: () => void
  readonly pollMs?: number
}

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
interface LastingConnection {
  readonly connected: boolean
  /** Runs `work` after all earlier work; waits for a connection and repeats `work` if it is lost. Throws once closed. */
  run<T>(work: (client: Client) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/**
 * Opens a notifier on its own connection; after a loss it reconnects and subscribers resync. Logs errors of handlers.
 * @throws if the database does not answer now
 */
export async function openNotifier(servers: Servers, log: Log, options: BusOptions = {}): Promise<Notifier> {
  const channels = new Map<string, Set<Subscriber>>()
  const all = () => [...channels.values()].flatMap((subscribers) => [...subscribers])
  const guarded = (handler: () => void) => {
    try {
      handler()
    } catch (error) {
      log.error({ err: error instanceof Error ? error.message : String(error) }, 'a notifier handler failed')
    }
  }
  const connection = await openLastingConnection({
    servers,
    log,
    name: NOTIFIER,
    pollMs: options.pollMs,
    ensure: options.ensure ?? (async () => undefined),
    prepare: async (client) => {
      for (const channel of channels.keys()) await listenOn(client, channel)
    },
    onLost: options.onLost ?? (() => undefined),
    onBack: () => {
      for (const { onResync } of all()) if (onResync !== undefined) guarded(onResync)
    },
    onNotification: ({ channel, payload = '' }) => {
      for (const { onMessage } of [...(channels.get(channel) ?? [])]) guarded(() => onMessage(payload))
    },
  })
  const outbox = openOutbox(connection, log)
  return {
    get connected() {
      return connection.connected
    },
    listen: (channel, onMessage, onResync) => subscribe(connection, channels, channel, { onMessage, onResync }),
    notify: outbox.notify,
    close: async () => {
      await outbox.flush()
      await connection.close()
    },
  }
}

async function subscribe(
  connection: LastingConnection,
  channels: Map<string, Set<Subscriber>>,
  channel: string,
  subscriber: Subscriber,
): Promise<() => void> {
  checkChannel(channel)
  const subscribers = channels.get(channel) ?? new Set()
  channels.set(channel, subscribers.add(subscriber))
  await connection.run((client) => listenOn(client, channel))
  return () => {
    if (!subscribers.delete(subscriber) || subscribers.size > 0) return
    channels.delete(channel)
    if (connection.connected) connection.run((client) => unlistenOn(client, channels, channel)).catch(() => undefined)
  }
}

const listenOn = (client: Client, channel: string) => client.query(`listen ${escapeIdentifier(channel)}`)

async function unlistenOn(client: Client, channels: ReadonlyMap<string, unknown>, channel: string): Promise<void> {
  // A new subscriber may use the channel again.
  if (!channels.has(channel)) await client.query(`unlisten ${escapeIdentifier(channel)}`)
}

interface Message {
  readonly channel: string
  readonly payload: string
}

/** Sends waiting messages in one statement at a time and merges equal ones. */
function openOutbox(connection: LastingConnection, log: Log) {
  const waiting = new Map<string, Promise<void>>()
  let last: Promise<void> | undefined
  const keyOf = ({ channel, payload }: Message) => `${channel}\0${payload}`
  const sending = new BatchedCalls<Message, void>(LARGEST_BATCH, async (messages) => {
    for (const message of messages) waiting.delete(keyOf(message))
    await send(connection, messages).catch((error: Error) => log.warn({ err: error.message }, 'messages were not sent'))
    return []
  })

  const notify = async (channel: string, payload = ''): Promise<void> => {
    checkChannel(channel)
    if (Buffer.byteLength(payload) > LONGEST_PAYLOAD_BYTES) throw new RangeError('A payload has at most 7,999 bytes.')
    const message = { channel, payload }
    const known = waiting.get(keyOf(message))
    if (known !== undefined) return known
    if (!connection.connected && waiting.size >= MOST_WAITING) return
    last = sending.call(message)
    waiting.set(keyOf(message), last)
    return last
  }

  return { notify, flush: async () => (connection.connected ? last : undefined) }
}

const send = (connection: LastingConnection, messages: readonly Message[]) =>
  connection.run((client) =>
    client.query({
      name: 'send_messages',
      text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as message(channel, payload)',
      values: [messages.map((message) => message.channel), messages.map((message) => message.payload)],
    }),
  )

function checkChannel(channel: string): void {
  const bytes = Buffer.byteLength(channel)
  if (bytes === 0 || bytes > LONGEST_CHANNEL_BYTES) throw new RangeError('A channel has a name of 1 to 63 bytes.')
}

/** @throws if the database does not answer now; later losses are retried */
async function openLastingConnection(options: LastingOptions): Promise<LastingConnection> {
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
  endSilent(client, options.pollMs, () => enqueue(() => client.query('select')))
  client.on('notification', options.onNotification)
  client.once('end', () => {
    ended = true
    if (serving) onLost()
  })
  try {
    // A notifying commit holds one lock of the whole server until it is flushed, and a notification outlives no crash anyway.
    await client.query('set idle_session_timeout = 0; set synchronous_commit = off')
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
