import { type Client, type ClientConfig, DatabaseError } from 'pg'
import type { LossLog } from './loss-log.ts'
import { ReadOnlyServer } from './read-only.ts'
import type { Servers } from './servers.ts'
import { cutOff, processIdOf, trafficOf } from './wire.ts'

const POLL_MS = 5_000
/** A statement that was answered nothing for so many polls is asked for at the server. */
const QUIET_POLLS = 2
/** The server must deny it so many times in a row: an answer may be on its way. */
const DENIALS = 3

/** What the library says of a statement that was not answered in time; of a login it says something else. */
const NO_ANSWER = 'Query read timeout'

/** Which of these server processes may be at work on a statement: what a role may not see is. One that waits for its client has answered. */
const AT_WORK = `
  select pid from pg_stat_activity
  where pid = any($1::int[]) and coalesce(state, '') not like 'idle%'
    and (state = 'active' and wait_event_type = 'Client') is distinct from true`

/** A connection, and the server's process at its other end: null where that changes from statement to statement. */
interface Watched {
  readonly client: Client
  serverProcess(): number | null
}

interface Seen {
  readonly traffic: number
  polls: number
  denials: number
}

/**
 * Ends connections that hang: whose peer is gone without a word, or whose packets are dropped on the way, so that an answer never comes and
 * TCP notices a quarter of an hour later. What takes long is not ended: the server is asked, over a connection of its own, whether it is
 * still at work on the statement. A server that cannot be reached at all counts as one that is not; one that takes the login and then says
 * nothing does not, as a pooler may keep the question waiting.
 */
export class HungConnections {
  readonly #servers: Servers
  readonly #losses: LossLog
  readonly #everyMs: number
  readonly #watched = new Map<Watched, Seen | null>()
  #timer: NodeJS.Timeout | undefined
  #isPolling = false

  constructor(servers: Servers, losses: LossLog, everyMs = POLL_MS) {
    this.#servers = servers
    this.#losses = losses
    this.#everyMs = everyMs
  }

  /**
   * A connection of its own, for statements of any length.
   * @throws as `Servers.connect` does
   */
  async connect(config: ClientConfig): Promise<Client> {
    const client = await this.#servers.connect(config)
    let serverProcess = processIdOf(client)
    this.watch(client, () => serverProcess)
    try {
      // A pooler has numbered it as well.
      serverProcess = (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]?.pid ?? null
      return client
    } catch (error) {
      void client.end()
      throw error
    }
  }

  /** Until it ends. */
  watch(client: Client, serverProcess: () => number | null): void {
    const watched = { client, serverProcess }
    this.#watched.set(watched, null)
    client.once('end', () => this.#watched.delete(watched))
    this.#timer ??= setInterval(() => void this.#poll(), this.#everyMs).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    const quiet = [...this.#watched.keys()].filter((watched) => this.#isQuiet(watched))
    if (quiet.length > 0) await this.#examine(quiet)
    this.#isPolling = false
  }

  #isQuiet(watched: Watched): boolean {
    const traffic = trafficOf(watched.client)
    const seen = this.#watched.get(watched)
    if (traffic === null || watched.serverProcess() === null) this.#watched.set(watched, null)
    else if (seen?.traffic !== traffic) this.#watched.set(watched, { traffic, polls: 0, denials: 0 })
    else return ++seen.polls >= QUIET_POLLS
    return false
  }

  async #examine(quiet: readonly Watched[]): Promise<void> {
    const atWork = await this.#atWork(quiet.map(({ serverProcess }) => serverProcess()))
    if (atWork === null) return
    for (const watched of quiet) {
      const seen = this.#watched.get(watched)
      if (!seen || seen.traffic !== trafficOf(watched.client)) continue
      seen.denials = atWork.has(watched.serverProcess()) ? 0 : seen.denials + 1
      if (seen.denials < DENIALS) continue
      this.#losses.add('a statement was never answered', watched.client)
      cutOff(watched.client)
    }
  }

  /** null: the server is there, or a pooler in front of it, and does not say. */
  async #atWork(processes: readonly (number | null)[]): Promise<ReadonlySet<number | null> | null> {
    const limitMs = this.#everyMs * 2
    let [client, isAnyThere]: [Client | undefined, boolean] = [undefined, false]
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

/** Whether the server that refused a connection had accepted its login, or answered otherwise. */
const isThere = (error: Error): boolean =>
  error instanceof DatabaseError || error instanceof ReadOnlyServer || error.message === NO_ANSWER
