import {
  type Client,
  type ClientConfig,
  DatabaseError,
  Pool,
  type PoolClient,
  type PoolConfig,
  type QueryResult,
} from 'pg'
import type { HungConnections } from './hung-connections.ts'
import { isReadOnly, ReadOnlyServer, watchParameters, watchRefusedWrites } from './read-only.ts'
import {
  KEEP_ALIVE,
  SESSION_DEFAULTS,
  type Servers,
  SessionClient,
  TRANSACTION_DEFAULTS,
  TRANSACTION_ISOLATION,
} from './servers.ts'
import { onceOver, processIdOf } from './wire.ts'

const TOO_MANY_CONNECTIONS = '53300'
const NONE_WAS_FREE = 'timeout exceeded when trying to connect'
const FULL_PAUSE_MS = 100
const FULL_MS = 2_000
const BEGIN = /^\s*begin\b/i
const NAMES_ISOLATION = /\bisolation\b/i
const SLOW_MS = 1_000
const LibraryPool = Pool as unknown as new (options: PoolConfig) => Pool & Library

interface ServicePoolOptions extends PoolConfig {
  readonly max: number
  readonly connectionTimeoutMillis: number
  readonly statements: Statements
  readonly settings: string | null
  readonly hung: HungConnections
}

interface Statements {
  /** False behind a transaction pooler that loses prepared statements. */
  readonly areNamed: boolean
  /** Sent with every `begin` if connections keep no settings. */
  readonly afterBegin: string | null
}

type Callback = (error: Error | null, ...rest: unknown[]) => void
type QueryArguments = [query: unknown, ...rest: unknown[]]

type Release = (error?: Error | boolean) => void
type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void

interface Waiting {
  readonly callback: ConnectCallback
  readonly timedOut?: boolean
  readonly isExpecting?: boolean
}
/** Private members of pg-pool. */
interface Library {
  readonly _pendingQueue: Waiting[]
  _pulseQueue(): void
  newClient(waiting: Waiting): void
}

/** If a caller's new connection is slow, the caller also takes another that becomes free. A pooler may keep the new one waiting. */
class OpeningPool extends LibraryPool {
  override newClient(waiting: Waiting): void {
    if (waiting.isExpecting) {
      this.#passOver(waiting)
      return
    }
    let isAnswered = false
    const isOver = () => isAnswered || waiting.timedOut === true
    const expecting = (callback: ConnectCallback): Waiting => ({
      callback,
      isExpecting: true,
      get timedOut() {
        return isOver()
      },
    })
    const answer: ConnectCallback = (...given) => {
      isAnswered = true
      clearTimeout(slow)
      const place = this._pendingQueue.indexOf(again)
      if (place >= 0) this._pendingQueue.splice(place, 1)
      waiting.callback(...given)
    }
    const again = expecting(answer)
    const slow = setTimeout(() => {
      if (isOver()) return
      this._pendingQueue.push(again)
      if (this.idleCount > 0) this._pulseQueue()
    }, SLOW_MS).unref()
    super.newClient(expecting(answer))
  }

  #passOver(waiting: Waiting): void {
    if (!waiting.timedOut) this._pendingQueue.unshift(waiting)
    const next = this._pendingQueue.findIndex(({ isExpecting }) => !isExpecting)
    if (next >= 0) this.newClient(this._pendingQueue.splice(next, 1)[0] as Waiting)
  }
}

/**
 * A pool of connections to the server that takes writes. After a refused write it replaces all connections. If PostgreSQL has no
 * more connections, it shrinks to those it has.
 */
export class ServicePool extends OpeningPool {
  readonly #servers: Servers
  readonly #max: number
  readonly #timeoutMs: number
  #usable = new WeakSet<object>()
  #full: NodeJS.Timeout | undefined

  constructor(servers: Servers, { statements, settings, hung, ...others }: ServicePoolOptions) {
    const options = { ...KEEP_ALIVE, ...others }
    class PoolMember extends ServiceClient {
      readonly deadline = performance.now() + options.connectionTimeoutMillis
      constructor() {
        super(servers, statements, options)
        hung.watch(this, () => this.serverProcess)
      }
    }
    const onConnect = (client: unknown) => {
      const member = client as PoolMember
      return prepareUntil(member.deadline, member, servers, settings)
    }
    super({ ...options, Client: PoolMember as never, onConnect } as PoolConfig)
    this.#servers = servers
    this.#max = options.max
    this.#timeoutMs = options.connectionTimeoutMillis
    this.on('connect', (client) => this.#watch(client as unknown as ServiceClient))
  }

  override connect(): Promise<PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    const deadline = performance.now() + this.#timeoutMs
    if (callback !== undefined) {
      this.#checkOut(this.#servers.count, deadline, callback)
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.#checkOut(this.#servers.count, deadline, (error, client) =>
        client === undefined ? reject(error) : resolve(client),
      )
    })
  }

  #checkOut(servers: number, deadline: number, callback: ConnectCallback): void {
    const asked = this.#servers.preferred
    super.connect((error, client, release) => {
      if (client !== undefined && this.#usable.has(client)) return callback(undefined, client, release)
      if (client !== undefined) {
        release(true)
        return this.#checkOut(servers, deadline, callback)
      }
      const isFull = (error as { code?: unknown } | undefined)?.code === TOO_MANY_CONNECTIONS
      if (isFull) this.#makeDo()
      const again = isFull && !this.ending && performance.now() < deadline
      const next = () => this.#checkOut(servers - 1, deadline, callback)
      const giveUp = () => callback(error, undefined, release)
      if (again) setTimeout(() => this.#checkOut(servers, deadline, callback), FULL_PAUSE_MS)
      else if (servers <= 1 || this.ending) giveUp()
      else if (error?.message !== NONE_WAS_FREE) next()
      else setTimeout(() => (asked === this.#servers.preferred ? giveUp() : next()), FULL_PAUSE_MS)
    })
  }

  #makeDo(): void {
    this.options.max = Math.max(1, this.totalCount)
    this.#full ??= setTimeout(() => {
      this.#full = undefined
      this.options.max = this.#max
    }, FULL_MS).unref()
  }

  #watch(client: ServiceClient): void {
    this.#usable.add(client)
    // Without a listener, a connection lost in use would end the process.
    client.on('error', () => undefined)
    watchRefusedWrites(client, () => {
      this.#servers.reject(client.server)
      this.#usable = new WeakSet()
    })
  }
}

/** A full pooler accepts the login but delays the first statement. */
async function prepareUntil(
  deadline: number,
  client: ServiceClient,
  servers: Servers,
  settings: string | null,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      servers.reject(client.server)
      reject(new Error(NONE_WAS_FREE))
    }, deadline - performance.now())
  })
  await Promise.race([prepare(client, servers, settings), late]).finally(() => clearTimeout(timer))
}

async function prepare(client: ServiceClient, servers: Servers, settings: string | null): Promise<void> {
  if (await isReadOnly(client, client.parameters)) {
    servers.reject(client.server)
    throw new ReadOnlyServer()
  }
  if (settings !== null) await client.prepare(settings)
}

const isOfItsOwn = (query: unknown): boolean => typeof query === 'object' && query !== null && 'submit' in query

export class ServiceClient extends SessionClient {
  readonly server: string
  readonly parameters: ReadonlyMap<string, string>
  #serverProcess: number | undefined
  readonly #servers: Servers
  readonly #statements: Statements

  constructor(servers: Servers, statements: Statements, config: ClientConfig) {
    const server = servers.preferred
    super({ ...config, connectionString: server })
    this.server = server
    this.#servers = servers
    this.#statements = statements
    this.parameters = watchParameters(this)
  }

  /** Null behind a transaction pooler, because each transaction may use another process. */
  get serverProcess(): number | null {
    return this.#statements.afterBegin === null ? (this.#serverProcess ?? processIdOf(this)) : null
  }

  async prepare(settings: string): Promise<void> {
    const results = (await this.query(`${SESSION_DEFAULTS}; ${settings}; select pg_backend_pid() as pid`)) as unknown
    this.#serverProcess = (results as QueryResult<{ pid: number }>[]).at(-1)?.rows[0]?.pid
  }

  override connect(): Promise<Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
    const connected = (error: Error | null): void => {
      if (error) this.#servers.reject(this.server)
      callback?.(error as Error)
    }
    if (callback !== undefined) {
      super.connect(connected)
      return undefined
    }
    return super.connect().catch((error: Error) => {
      this.#servers.reject(this.server)
      throw error
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads it a dozen times, and all of them end here
  override query(...args: any[]): any {
    const [query, ...rest] = args as QueryArguments
    const run = (...given: unknown[]) => (super.query as (...args: unknown[]) => unknown).apply(this, given)
    if (isOfItsOwn(query)) return run(query, ...rest)
    const last = rest.at(-1)
    if (typeof last === 'function')
      return run(this.#adapted(query), ...rest.slice(0, -1), this.#whenOver(last as Callback))
    // A callback too, because a promise settles after the statement's end event.
    return new Promise((resolve, reject) => {
      const answered: Callback = (error, result) => (error ? reject(error) : resolve(result))
      run(this.#adapted(query), rest[0], this.#whenOver(answered))
    })
  }

  /** PostgreSQL reports an error before it releases the locks, so the caller hears of it only after that. */
  #whenOver(callback: Callback): Callback {
    return (error, ...rest) => {
      if (error instanceof DatabaseError) onceOver(this, () => callback(error, ...rest))
      else callback(error, ...rest)
    }
  }

  #adapted(query: unknown): unknown {
    const { areNamed, afterBegin } = this.#statements
    if (typeof query === 'string') {
      if (afterBegin === null || !BEGIN.test(query)) return query
      const isolation = NAMES_ISOLATION.test(query) ? '' : `${TRANSACTION_ISOLATION}; `
      return `${query}; ${isolation}${TRANSACTION_DEFAULTS}; ${afterBegin}`
    }
    if (query === null || typeof query !== 'object') return query
    const { text, name, ...others } = query as { text?: unknown; name?: unknown }
    const adapted = typeof text === 'string' ? this.#adapted(text) : text
    if (adapted === text && (areNamed || name === undefined)) return query
    return { ...others, text: adapted, ...(areNamed && name !== undefined && { name }) }
  }
}
