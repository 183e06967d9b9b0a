import type { Client, ClientBase, ClientConfig, QueryResult } from 'pg'
import { type Session, SessionClient } from './session-client.ts'

const CONNECT_TIMEOUT_MS = 10_000
export const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 }
export const FOR_READING = true
export const READ_ONLY_SQL_TRANSACTION = '25006'
const TAKES_NO_WRITES = `pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "readOnly"`

/** Poolers refuse these as startup parameters, so each session, or each transaction behind one, sets them. */
const DEFAULTS: Readonly<Record<string, string>> = {
  extra_float_digits: '1',
  bytea_output: 'hex',
  IntervalStyle: 'postgres',
  array_nulls: 'on',
}

const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', false) from pg_settings where name = 'transaction_timeout'`

export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer'
  readonly code = READ_ONLY_SQL_TRANSACTION

  constructor() {
    super('the database takes no writes')
  }
}

/** The servers of a database; prefers the one that last took writes. */
export class Servers {
  readonly isForReading: boolean
  readonly #urls: readonly string[]
  #preferred = 0
  #open = 0

  /** @param isForReading they may be standbys */
  constructor(urls: readonly string[], isForReading = false) {
    this.#urls = urls
    this.isForReading = isForReading
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
   * Opens a connection to the server that takes writes, or to one for reading; its loss never ends the process.
   * @param refused receives the error of each other server
   * @throws the last server's error, such as ReadOnlyServer
   */
  async connect(config: ClientConfig, refused: (error: Error) => void = () => undefined): Promise<Session> {
    for (let left = this.count; ; left--) {
      const url = this.preferred
      try {
        return this.#counted(await connectTo(url, config, this.isForReading))
      } catch (error) {
        this.reject(url)
        refused(error as Error)
        if (left === 1) throw error
      }
    }
  }

  #counted(client: Session): Session {
    this.#open++
    client.once('end', () => this.#open--)
    return client
  }
}

/** @param isForReading the server may be a standby */
async function connectTo(connectionString: string, config: ClientConfig, isForReading: boolean): Promise<Session> {
  const timed = { ...KEEP_ALIVE, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, ...config, connectionString }
  const client = new SessionClient(timed)
  client.on('error', () => undefined)
  await client.connect()
  try {
    await beginSession(client, '', isForReading)
    return client
  } catch (error) {
    void client.end()
    throw error
  }
}

/**
 * Prepares a new connection in one round trip.
 * @param settings null behind a transaction pooler, which would lose them
 * @throws ReadOnlyServer unless it is for reading
 */
export async function beginSession(client: Session, settings: string | null, isForReading = false): Promise<void> {
  const sets = settings === null ? '' : `${SESSION_DEFAULTS}; ${settings}; `
  const results = (await client.query(`${sets}select pg_backend_pid() as pid, ${TAKES_NO_WRITES}`)) as unknown
  const last = [results as QueryResult<{ pid: number; readOnly: boolean }>].flat().at(-1)?.rows[0]
  if (last?.readOnly === true && !isForReading) throw new ReadOnlyServer()
  if (settings !== null) client.serverProcess = last?.pid ?? null
}

export async function asksReadOnly(client: Pick<Client, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ readOnly: boolean }>(`select ${TAKES_NO_WRITES}`)
  return rows[0]?.readOnly === true
}

const assignments = (local: '' | 'local '): string =>
  Object.entries(DEFAULTS)
    .map(([name, value]) => `set ${local}${name} = '${value}'`)
    .join('; ')

export const SESSION_DEFAULTS = `set default_transaction_isolation = 'read committed'; ${assignments('')}`
export const TRANSACTION_DEFAULTS = assignments('local ')
export const TRANSACTION_ISOLATION = 'set transaction isolation level read committed'

/** Lifts the role's time limits, which are meant for requests. */
export async function liftTimeLimits(client: Pick<ClientBase, 'query'>): Promise<void> {
  await client.query(
    `set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0; ${NO_TRANSACTION_TIMEOUT}`,
  )
}
