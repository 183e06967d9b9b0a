import type { PoolClient, PoolConfig } from 'pg'
import type { HungConnections } from './hung-connections.ts'
import { type Callback, OpeningPool } from './opening-pool.ts'
import { isReadOnly, ReadOnlyServer, watchRefusedWrites } from './read-only.ts'
import { KEEP_ALIVE, type Servers } from './servers.ts'
import { ServiceClient, type Statements } from './service-client.ts'

const TOO_MANY_CONNECTIONS = '53300'
const NONE_WAS_FREE = 'timeout exceeded when trying to connect'
const FULL_PAUSE_MS = 100
const FULL_MS = 2_000

interface ServicePoolOptions extends PoolConfig {
  readonly max: number
  readonly connectionTimeoutMillis: number
  readonly statements: Statements
  readonly settings: string | null
  readonly hung: HungConnections
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
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<PoolClient> | undefined {
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

  #checkOut(servers: number, deadline: number, callback: Callback): void {
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
