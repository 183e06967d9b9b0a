import { type ClientConfig, DatabaseError } from 'pg'
import type { Log } from '../../values/log.ts'
import { inLogScope } from '../../values/log-scope.ts'
import { ReadOnlyServer, type Servers } from './servers.ts'
import type { Session } from './session-client.ts'

const POLL_MS = 5_000
const QUIET_POLLS = 2
const DENIALS = 3

const NO_ANSWER = 'Query read timeout'

/** Includes processes whose state the role may not see. A process that waits for its client has already answered. */
const AT_WORK = `
  select pid from pg_stat_activity
  where pid = any($1::int[]) and coalesce(state, '') not like 'idle%'
    and (state = 'active' and wait_event_type = 'Client') is distinct from true`

const BURST_MS = 1_000

interface Seen {
  readonly traffic: number
  polls: number
  denials: number
}

/** Logs lost connections once a burst, with their number. */
export class LossLog {
  readonly #log: Pick<Log, 'warn'>
  #count = 0
  #latest = ''
  #timer: NodeJS.Timeout | undefined
  readonly #lost = new WeakSet<object>()
  total = 0

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  add(what: string, connection: object): void {
    if (this.#lost.has(connection)) return
    this.#lost.add(connection)
    this.total++
    this.#count++
    this.#latest = what
    this.#timer ??= inLogScope({}, () => setTimeout(() => this.flush(), BURST_MS).unref())
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#count > 0) this.#log.warn({ count: this.#count, err: this.#latest }, 'database connections were lost')
    this.#count = 0
  }
}

/**
 * Ends connections whose peer is gone, which TCP detects late. It asks the server over another connection whether a quiet statement
 * still runs, so long statements survive. A server that accepts the login but stays silent counts as alive, because a pooler may
 * delay it.
 */
export class HungConnections {
  readonly #servers: Servers
  readonly #losses: LossLog
  readonly #everyMs: number
  readonly #watched = new Map<Session, Seen | null>()
  #timer: NodeJS.Timeout | undefined
  #isPolling = false

  constructor(servers: Servers, losses: LossLog, everyMs = POLL_MS) {
    this.#servers = servers
    this.#losses = losses
    this.#everyMs = everyMs
  }

  async connect(config: ClientConfig): Promise<Session> {
    const client = await this.#servers.connect(config)
    this.watch(client)
    return client
  }

  watch(client: Session): void {
    this.#watched.set(client, null)
    client.once('end', () => this.#watched.delete(client))
    this.#timer ??= setInterval(() => void this.#poll(), this.#everyMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    const quiet = [...this.#watched.keys()].filter((client) => this.#isQuiet(client))
    if (quiet.length > 0) await this.#examine(quiet)
    this.#isPolling = false
  }

  #isQuiet(client: Session): boolean {
    const { traffic, serverProcess } = client
    const seen = this.#watched.get(client)
    if (traffic === null || serverProcess === null) this.#watched.set(client, null)
    else if (seen?.traffic !== traffic) this.#watched.set(client, { traffic, polls: 0, denials: 0 })
    else return ++seen.polls >= QUIET_POLLS
    return false
  }

  async #examine(quiet: readonly Session[]): Promise<void> {
    const atWork = await this.#atWork(quiet.map(({ serverProcess }) => serverProcess))
    if (atWork === null) return
    for (const client of quiet) {
      const seen = this.#watched.get(client)
      if (!seen || seen.traffic !== client.traffic) continue
      seen.denials = atWork.has(client.serverProcess) ? 0 : seen.denials + 1
      if (seen.denials < DENIALS) continue
      this.#losses.add('a statement was never answered', client)
      client.cutOff()
    }
  }

  /** Null: the server or its pooler is reachable but gives no answer. */
  async #atWork(processes: readonly (number | null)[]): Promise<ReadonlySet<number | null> | null> {
    const limitMs = this.#everyMs * 2
    let [client, isAnyThere]: [Session | undefined, boolean] = [undefined, false]
    const refused = (error: Error): void => {
      isAnyThere ||= isThere(error)
    }
    try {
      client = await this.#servers.connect({ connectionTimeoutMillis: limitMs, query_timeout: limitMs }, refused)
    } catch {
      return isAnyThere ? null : new Set()
    }
    try {
      const { rows } = await client.query<{ pid: number }>(AT_WORK, [processes])
      return new Set(rows.map(({ pid }) => pid))
    } catch {
      return null
    } finally {
      void client.end().catch(() => undefined)
    }
  }
}

const isThere = (error: Error): boolean =>
  error instanceof DatabaseError || error instanceof ReadOnlyServer || error.message === NO_ANSWER
