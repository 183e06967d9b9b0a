import { setTimeout as wait } from 'node:timers/promises'
import type { ClientConfig, Pool, PoolClient } from 'pg'
import { inTime } from '../../concurrency/in-time.ts'
import { isDatabaseDown } from '../../errors/outages.ts'
import type { Log } from '../../values/log.ts'
import type { HungConnections } from './hung-connections.ts'
import { onAnswered } from './service-client.ts'
import type { ServicePool } from './service-pool.ts'
import type { Session } from './session-client.ts'

const RETRY_MS = 1_000
const ANSWER_MS = 1_000
const CONNECT_TIMEOUT_MS = 2_000
/** The standby may lack the last milliseconds. */
const CATCH_UP_MS = 100
const POLL_MS = 10
const BEHIND = 'it is behind the primary'

/** A commit is flushed before its caller hears of it. */
const POSITION = `
  select pg_current_wal_flush_lsn()::text as lsn, system_identifier::text as system,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::integer as timeline
  from pg_control_system()`
/** After a failover the positions of two timelines say nothing about each other. */
const CHECK = `
  select pg_is_in_recovery() as "isStandby", s.system_identifier::text = $2 as "isSame",
    r.min_recovery_end_timeline = $3::integer as "isOnTimeline", pg_last_wal_replay_lsn() >= $1::pg_lsn as "hasAll"
  from pg_control_system() s, pg_control_recovery() r`

interface Position {
  readonly lsn: string
  readonly system: string
  readonly timeline: number
}

interface Checked {
  readonly isStandby: boolean
  readonly isSame: boolean
  readonly isOnTimeline: boolean
  readonly hasAll: boolean | null
}

interface StandbyOptions {
  readonly log: Log
  /** Nobody keeps its connections; it ends with the standby. */
  readonly primary: Pick<Pool, 'query' | 'end'>
  /** Called again if it fails. */
  open(): Promise<Opened>
}

interface Opened {
  readonly hung: Pick<HungConnections, 'connect' | 'close'>
  readonly pool: ServicePool
}

const failures = new WeakSet<object>()

/** Repeats a read that failed because of the standby: the primary answers it then. */
export async function readAgain<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!isStandbysFailure(error)) throw error
    return read()
  }
}

export const isStandbysFailure = (error: unknown): boolean => failures.has(Object(error))

/**
 * A standby that serves reads while it has replayed all that the primary had committed when the read began. Otherwise the primary
 * serves them, and the standby is tried again every second.
 */
export class Standby {
  readonly #options: StandbyOptions
  #opened: Promise<Opened> | undefined
  #first: Promise<void> | undefined
  #latest: Promise<void> | undefined
  /** Null: it serves reads. */
  #reason: string | null = 'it was not asked yet'
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: StandbyOptions) {
    this.#options = options
  }

  /** Null while it serves reads. */
  async reason(): Promise<string | null> {
    // Later attempts may take seconds, for which nobody waits.
    this.#first ??= this.#try()
    await this.#first
    return this.#reason
  }

  /** A connection of its pool that has everything; null: the primary has to serve the read. */
  readonly client = async (): Promise<PoolClient | null> =>
    (await this.reason()) === null ? this.#checked(({ pool }) => pool.connect(), end) : null

  /** A connection besides the pool; null as above. Its owner passes errors to `judge`. */
  async connect(config: ClientConfig): Promise<Session | null> {
    if ((await this.reason()) !== null) return null
    const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
    return this.#checked(
      ({ hung }) => hung.connect({ ...limits, ...config }),
      (client) => void client.end(),
    )
  }

  /** If the error is the standby's fault, the primary serves reads for a second. */
  readonly judge = (error: unknown): void => {
    if (error === null || isCancelled(error) || !isDatabaseDown(error)) return
    failures.add(error as object)
    this.#rest((error as Error).message)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await Promise.all([this.#first, this.#latest])
    const opened = await this.#opened?.catch(() => undefined)
    opened?.hung.close()
    await Promise.all([opened?.pool.end(), this.#options.primary.end()])
  }

  async #try(): Promise<void> {
    const client = await this.#checked(({ pool }) => pool.connect(), end)
    if (client === null) return
    client.release()
    this.#reason = null
    this.#options.log.info('the standby serves reads')
  }

  async #open(): Promise<Opened> {
    this.#opened ??= this.#options.open().then((opened) => {
      opened.pool.on('connect', (client) => {
        onAnswered(client, this.judge)
        client.on('error', this.judge)
      })
      return opened
    })
    return this.#opened.catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
  }

  async #checked<C extends Pick<PoolClient, 'query'>>(
    connect: (opened: Opened) => Promise<C>,
    leave: (client: C, isHung: boolean) => void,
  ): Promise<C | null> {
    let client: C | undefined
    try {
      client = await connect(await this.#open())
      const lack = await this.#lackOf(client)
      if (lack === null) return client
      leave(client, false)
      this.#rest(lack)
    } catch (error) {
      if (client !== undefined) leave(client, true)
      this.#rest((error as Error).message || String(error))
    }
    return null
  }

  /** Null: it has all that the primary has now. */
  async #lackOf(client: Pick<PoolClient, 'query'>): Promise<string | null> {
    const { rows } = await this.#options.primary.query<Position>({ name: 'wal_position', text: POSITION })
    const { lsn, system, timeline } = rows[0] as Position
    for (const until = performance.now() + CATCH_UP_MS; ; await wait(POLL_MS)) {
      const asked = client.query<Checked>({ name: 'standby_check', text: CHECK, values: [lsn, system, timeline] })
      const late = () => Promise.reject(new Error('it does not answer'))
      const checked = (await inTime(ANSWER_MS, asked, late)).rows[0] as Checked
      const lack = lackIn(checked)
      if (lack !== BEHIND || performance.now() > until) return lack
    }
  }

  #rest(reason: string): void {
    if (this.#isClosed) return
    if (this.#reason !== reason) this.#options.log.warn({ reason }, 'the primary serves the reads of the standby')
    this.#reason = reason
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#latest = this.#try()
    }, RETRY_MS).unref()
  }
}

const end = (client: PoolClient, isHung: boolean): void => client.release(isHung)

/** The statement of a caller that has left, or that took too long. */
const isCancelled = (error: unknown): boolean => (error as { code?: unknown }).code === '57014'

function lackIn({ isStandby, isSame, isOnTimeline, hasAll }: Checked): string | null {
  if (!isStandby) return 'it is no standby any more'
  if (!isSame) return 'it is a standby of another database'
  if (!isOnTimeline) return 'it follows another timeline'
  return hasAll === true ? null : BEHIND
}
