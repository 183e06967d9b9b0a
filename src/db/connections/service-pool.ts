import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { inTime } from '../../concurrency/in-time.ts'
import type { HungConnections } from './hung-connections.ts'
import { beginSession, KEEP_ALIVE, ReadOnlyServer, type Servers } from './servers.ts'
import { onRefusedWrite, ServiceClient, type Statements } from './service-client.ts'

const TOO_MANY_CONNECTIONS = '53300'
const NONE_WAS_FREE = 'timeout exceeded when trying to connect'
const FULL_PAUSE_MS = 100
const FULL_MS = 2_000
const SLOW_MS = 1_000

export interface ServicePoolOptions extends PoolConfig {
  readonly max: number
  readonly connectionTimeoutMillis: number
  readonly statements: Statements
  readonly settings: string | null
  readonly hung: HungConnections
  /** Asked first for a connection; null: it has none to give. */
  readonly elsewhere?: (() => Promise<PoolClient | null>) | undefined
}

type Release = (error?: Error | boolean) => void
type ConnectCallback = (error: Error | undefined, client: PoolClient | undefined, release: Release) => void
/** @param begun milliseconds of `performance.now()` */
type Acquired = (error: Error | undefined, begun: number) => void

/**
 * A pool of connections to the server that takes writes. After a refused write it replaces all connections. If PostgreSQL has no
 * more connections, it shrinks to those it has.
 */
export class ServicePool extends Pool {
  readonly #servers: Servers
  readonly #elsewhere: ServicePoolOptions['elsewhere']
  readonly #max: number
  readonly #timeoutMs: number
  #usable = new WeakSet<object>()
  #full: NodeJS.Timeout | undefined
  #acquired: Acquired | undefined
  readonly #slow = new Set<() => void>()

  constructor(servers: Servers, { statements, settings, hung, elsewhere, ...others }: ServicePoolOptions) {
    const options = { ...KEEP_ALIVE, ...others }
    class PoolMember extends ServiceClient {
      readonly deadline = performance.now() + options.connectionTimeoutMillis
      constructor() {
        super(servers, statements, options)
        hung.watch(this)
      }
    }
    const onConnect = (client: unknown) => {
      const member = client as PoolMember
      return prepareUntil(member.deadline, member, servers, settings)
    }
    super({ ...options, Client: PoolMember as never, onConnect })
    this.#servers = servers
    this.#elsewhere = elsewhere
    this.#max = options.max
    this.#timeoutMs = options.connectionTimeoutMillis
    this.on('connect', (client) => this.#watch(client as unknown as ServiceClient))
    this.on('release', () => process.nextTick(() => this.#serveSlow()))
  }

  override connect(): Promise<PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    const begun = performance.now()
    const deadline = begun + this.#timeoutMs
    const checkOut = (answer: ConnectCallback) =>
      this.#checkOutAnywhere(deadline, (error, ...rest) => {
        this.#acquired?.(error, begun)
        answer(error, ...rest)
      })
    if (callback !== undefined) {
      checkOut(callback)
      return undefined
    }
    return new Promise((resolve, reject) => {
      checkOut((error, client) => (client === undefined ? reject(error) : resolve(client)))
    })
  }

  onAcquired(listener: Acquired): void {
    this.#acquired = listener
  }

  #checkOutAnywhere(deadline: number, callback: ConnectCallback): void {
    const here = () => this.#checkOut(this.#servers.count, deadline, callback)
    const answer = (client: PoolClient | null) => {
      if (client === null) here()
      else callback(undefined, client, (error) => client.release(error))
    }
    if (this.#elsewhere === undefined) here()
    else void this.#elsewhere().then(answer)
  }

  #checkOut(servers: number, deadline: number, callback: ConnectCallback): void {
    const asked = this.#servers.preferred
    this.#open((error, client, release) => {
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

  /** A pooler may keep a new connection waiting, so after 1 s the caller also takes another that becomes free. */
  #open(callback: ConnectCallback): void {
    const deadline = performance.now() + this.#timeoutMs
    const isQueued = this.idleCount > 0 || this.#isFull()
    let [pending, isAnswered] = [0, false]
    const ask = () => {
      pending++
      super.connect(answer)
    }
    const answer: ConnectCallback = (error, client, release) => {
      pending--
      if (isAnswered) {
        // The pool calls the next waiter synchronously, so a direct release could overflow the stack.
        if (client !== undefined) process.nextTick(release)
        return
      }
      // The other request may still bring a connection.
      if (client === undefined && pending > 0 && performance.now() < deadline) return
      isAnswered = true
      clearTimeout(slow)
      this.#slow.delete(ask)
      callback(error, client, release)
    }
    const slow = setTimeout(() => {
      if (this.idleCount > 0 || (!isQueued && this.#isFull())) ask()
      else this.#slow.add(ask)
    }, SLOW_MS).unref()
    ask()
  }

  #isFull(): boolean {
    return this.totalCount >= this.options.max
  }

  /** The pool has served its own queue before, so an idle connection is left for slow callers. */
  #serveSlow(): void {
    for (const ask of [...this.#slow].slice(0, this.idleCount)) {
      this.#slow.delete(ask)
      ask()
    }
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
    onRefusedWrite(client, () => {
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
  await inTime(deadline - performance.now(), prepare(client, servers, settings), () => {
    servers.reject(client.server)
    throw new Error(NONE_WAS_FREE)
  })
}

async function prepare(client: ServiceClient, servers: Servers, settings: string | null): Promise<void> {
  try {
    // Behind a transaction pooler a statement may wait for a connection, and one server leaves no choice.
    if (settings !== null || servers.count > 1) await beginSession(client, settings, servers.isForReading)
  } catch (error) {
    if (error instanceof ReadOnlyServer) servers.reject(client.server)
    throw error
  }
}
