import { type Client, type ClientConfig, DatabaseError, type QueryResult } from 'pg'
import { watchParameters } from './read-only.ts'
import type { Servers } from './servers.ts'
import { SESSION_DEFAULTS, SessionClient, TRANSACTION_DEFAULTS, TRANSACTION_ISOLATION } from './session-client.ts'
import { onceOver, processIdOf } from './wire.ts'

export interface Statements {
  /** False behind a transaction pooler that loses prepared statements. */
  readonly areNamed: boolean
  /** Sent with every `begin` if connections keep no settings. */
  readonly afterBegin: string | null
}

const BEGIN = /^\s*begin\b/i
const NAMES_ISOLATION = /\bisolation\b/i

type Callback = (error: Error | null, ...rest: unknown[]) => void
type QueryArguments = [query: unknown, ...rest: unknown[]]

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
