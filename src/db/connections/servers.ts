import { Client, type ClientBase, type ClientConfig } from 'pg'
import { isReadOnly, ReadOnlyServer, watchParameters } from './read-only.ts'

const CONNECT_TIMEOUT_MS = 10_000
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
/** Startup parameters, because Prisma, the driver and the migrations rely on them. Poolers accept all three. */
const SESSION = { TimeZone: 'UTC', DateStyle: 'ISO, MDY', standard_conforming_strings: 'on' } as const

/** Poolers refuse these as startup parameters, so each session, or each transaction behind one, sets them. */
const DEFAULTS: Readonly<Record<string, string>> = {
  extra_float_digits: '1',
  bytea_output: 'hex',
  IntervalStyle: 'postgres',
  array_nulls: 'on',
}

const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`

/** The servers of a database; prefers the one that last took writes. */
export class Servers {
  readonly #urls: readonly string[]
  #preferred = 0
  #open = 0

  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  get count(): number {
    return this.#urls.length
  }

  get preferred(): string {
    return this.#urls[this.#preferred] as string
  }

  get open(): number {
    return this.#open
  }

  reject(url: string): void {
    if (url === this.preferred) this.#preferred = (this.#preferred + 1) % this.#urls.length
  }

  /**
   * Opens a connection to the server that takes writes; its loss never ends the process.
   * @param refused receives the error of each other server
   * @throws the last server's error, such as ReadOnlyServer
   */
  async connect(config: ClientConfig, refused: (error: Error) => void = () => undefined): Promise<Client> {
    for (let left = this.count; ; left--) {
      const url = this.preferred
      try {
        return this.#counted(await connectTo(url, config))
      } catch (error) {
        this.reject(url)
        refused(error as Error)
        if (left === 1) throw error
      }
    }
  }

  #counted(client: Client): Client {
    this.#open++
    client.once('end', () => this.#open--)
    return client
  }
}

async function connectTo(connectionString: string, config: ClientConfig): Promise<Client> {
  const timed = { ...KEEP_ALIVE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...config, connectionString }
  const client = new SessionClient(timed)
  client.on('error', () => undefined)
  const parameters = watchParameters(client)
  await client.connect()
  try {
    if (await isReadOnly(client, parameters)) throw new ReadOnlyServer()
    await client.query(SESSION_DEFAULTS)
    return client
  } catch (error) {
    void client.end()
    throw error
  }
}

const assignments = (local: '' | 'local '): string =>
  Object.entries(DEFAULTS)
    .map(([name, value]) => `set ${local}${name} = '${value}'`)
    .join('; ')

export const SESSION_DEFAULTS = `set default_transaction_isolation = 'read committed'; ${assignments('')}`
export const TRANSACTION_DEFAULTS = assignments('local ')
export const TRANSACTION_ISOLATION = 'set transaction isolation level read committed'

/** Private in pg; its types omit it. */
interface Startup {
  getStartupConf(): Readonly<Record<string, string>>
}
const StartingClient = Client as unknown as new (config?: ClientConfig) => Client & Startup

export class SessionClient extends StartingClient {
  override getStartupConf(): Readonly<Record<string, string>> {
    return { ...super.getStartupConf(), ...SESSION }
  }
}

/** Lifts the role's time limits, which are meant for requests. */
export async function liftTimeLimits(client: Pick<ClientBase, 'query'>): Promise<void> {
  await client.query(
    `set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0; ${NO_TRANSACTION_TIMEOUT}`,
  )
}
