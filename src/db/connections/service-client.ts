import { type Client, type ClientBase, type ClientConfig, DatabaseError } from 'pg'
import { READ_ONLY_SQL_TRANSACTION, type Servers, TRANSACTION_DEFAULTS, TRANSACTION_ISOLATION } from './servers.ts'
import { SessionClient } from './session-client.ts'

const BEGIN = /^\s*begin\b/i
const NAMES_ISOLATION = /\bisolation\b/i
const LONGEST_END_MS = 1_000
const FATAL: ReadonlySet<string | undefined> = new Set(['FATAL', 'PANIC'])
/** Recognizes fatal errors with a translated severity. */
const FATAL_CODE = /^(57P0[1-5]|25P0[34])$/
const ANSWERED = 'answered'

export interface Statements {
  /** False behind a transaction pooler that loses prepared statements. */
  readonly areNamed: boolean
  /** Sent with every `begin` if connections keep no settings. */
  readonly afterBegin: string | null
}

type Callback = (error: Error | null, ...rest: unknown[]) => void
type QueryArguments = [query: unknown, ...rest: unknown[]]
/** @param begun milliseconds of `performance.now()` */
type Answered = (error: Error | null, query: unknown, begun: number) => void

const isOfItsOwn = (query: unknown): boolean => typeof query === 'object' && query !== null && 'submit' in query

/** A connection of a pool. It adapts statements to the way to its server, and reports each answer. */
export class ServiceClient extends SessionClient {
  readonly server: string
  readonly #servers: Servers
  readonly #statements: Statements

  constructor(servers: Servers, statements: Statements, config: ClientConfig) {
    const server = servers.preferred
    super({ ...config, connectionString: server })
    this.server = server
    this.#servers = servers
    this.#statements = statements
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
      connected(error)
      throw error
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg overloads it a dozen times, and all of them end here
  override query(...args: any[]): any {
    const [query, ...rest] = args as QueryArguments
    if (isOfItsOwn(query)) return super.query(query, ...rest)
    const last = rest.at(-1)
    if (typeof last === 'function')
      return super.query(this.#adapted(query), ...rest.slice(0, -1), this.#reporting(query, last as Callback))
    // A callback too, because a promise settles after the statement's end event.
    return new Promise((resolve, reject) => {
      const answered: Callback = (error, result) => (error ? reject(error) : resolve(result))
      super.query(this.#adapted(query), rest[0], this.#reporting(query, answered))
    })
  }

  /** PostgreSQL reports an error before it releases the locks, so the caller hears of it only after that. */
  #reporting(query: unknown, callback: Callback): Callback {
    const begun = performance.now()
    return (error, ...rest) => {
      this.emit(ANSWERED, error, query, begun)
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

/** Calls back once a failed statement has ended. */
function onceOver(client: ServiceClient, over: () => void): void {
  const end = (): void => {
    clearTimeout(timer)
    client.off('drain', end).off('end', end)
    over()
  }
  const timer = setTimeout(end, LONGEST_END_MS).unref()
  client.once('drain', end).once('end', end)
}

/** Reports each statement of a pool's connection. */
export function onAnswered(client: ClientBase, listener: Answered): void {
  ;(client as NodeJS.EventEmitter).on(ANSWERED, listener)
}

export function onRefusedWrite(client: ClientBase, refused: () => void): void {
  onAnswered(client, (error) => {
    if ((error as DatabaseError | null)?.code === READ_ONLY_SQL_TRANSACTION) refused()
  })
}

/** Reports the first loss of a connection, including fatal errors that pg attributes to a statement. */
export function onceLost(client: ClientBase, lost: (error: Error) => void): void {
  let isLost = false
  const report = (error: Error): void => {
    if (!isLost) lost(error)
    isLost = true
  }
  client.once('error', report)
  onAnswered(client, (error) => {
    const { severity, code } = (error ?? {}) as Partial<DatabaseError>
    if (error !== null && (FATAL.has(severity) || FATAL_CODE.test(code ?? ''))) report(error)
  })
}
