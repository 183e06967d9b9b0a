import type { Client, Pool, QueryResultRow } from 'pg'
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import type { Database } from './database.ts'

export const BACKUP = 'sonant backup'
/** Without this check PostgreSQL misses a closed connection while it waits for a lock, counts or sorts. */
const CHECK_CONNECTION = `set client_connection_check_interval = '100ms'`
const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`
/** Parallel workers would slow the queue. A role's statement timeout is for requests, not copies. */
const BEGIN = `begin isolation level repeatable read read only; set local statement_timeout = 0;
  set local max_parallel_workers_per_gather = 0; set local idle_in_transaction_session_timeout = '15s'`

const OLDEST = `
  select pid, application_name as application, application_name = $2 as "isBackup", usename as "user",
    floor(extract(epoch from now() - xact_start) / 60)::integer as minutes
  from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and backend_xmin is not null and pid <> pg_backend_pid()
    and xact_start <= now() - make_interval(secs => $1)
  order by application_name = $2, xact_start limit 1`

interface OldSnapshot {
  readonly pid: number
  readonly application: string
  readonly isBackup: boolean
  readonly user: string
  readonly minutes: number
}

/** Reads the database at one point in time, over its own connection. */
export class Snapshot {
  readonly #client: Client
  readonly #judge: (error: unknown) => void

  private constructor(client: Client, judge: (error: unknown) => void) {
    this.#client = client
    this.#judge = judge
  }

  /** Opens a snapshot of the standby if that has everything, else of the primary. @throws if the database does not answer */
  static async open({ watched, standby }: Pick<Database, 'watched' | 'standby'>, name = 'sonant'): Promise<Snapshot> {
    const config = { application_name: name }
    const reader = (await standby?.connect(config)) ?? null
    const client = reader ?? (await watched.connect(config))
    const judge = reader === null || standby === undefined ? () => undefined : standby.judge
    try {
      // PostgreSQL rejects the setting on some systems.
      await client.query(CHECK_CONNECTION).catch(() => undefined)
      await client.query(BEGIN)
      await client.query(NO_TRANSACTION_TIMEOUT)
      return new Snapshot(client, judge)
    } catch (error) {
      judge(error)
      void client.end()
      throw error
    }
  }

  async query<Row extends QueryResultRow>(text: string): Promise<Row[]> {
    try {
      return (await this.#client.query<Row>(text)).rows
    } catch (error) {
      this.#judge(error)
      throw error
    }
  }

  /**
   * Returns the bytes of a `copy … to stdout`. They are complete only if `commit` succeeds and `rowCount` equals the rows that
   * arrived.
   */
  copy(text: string): CopyToStreamQuery {
    const copied = this.#client.query(copyTo(text))
    // A reader that attaches after a failure finds the stream destroyed.
    return copied.on('error', (error) => {
      this.#judge(error)
      copied.destroy(error)
    })
  }

  /** @throws if an earlier statement failed */
  async commit(): Promise<void> {
    const { command } = await this.#client.query('commit')
    if (command !== 'COMMIT') throw new Error('the statement before the commit failed')
  }

  /** Cancels the running statement in PostgreSQL too. */
  close(): void {
    void this.#client.end()
  }
}

/** Finds the oldest transaction beyond the age; a backup only if there is no other. Null also if the role may not see it. */
export async function findOldSnapshot(db: Pick<Pool, 'query'>, olderThanSeconds: number): Promise<OldSnapshot | null> {
  const { rows } = await db.query<OldSnapshot>(OLDEST, [olderThanSeconds, BACKUP])
  return rows[0] ?? null
}
