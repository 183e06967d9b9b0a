import type { Client, QueryResultRow } from 'pg'
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import type { Database } from './database.ts'

export const BACKUP = 'sonant backup'
/** Without this check PostgreSQL misses a closed connection while it waits for a lock, counts or sorts. */
const CHECK_CONNECTION = `set client_connection_check_interval = '100ms'`
const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`
/** Parallel workers would slow the queue. A role's statement timeout is for requests, not copies. */
const BEGIN = `begin isolation level repeatable read read only; set local statement_timeout = 0;
  set local max_parallel_workers_per_gather = 0; set local idle_in_transaction_session_timeout = '15s'`

/** Reads the database at one point in time, over its own connection. */
export class Snapshot {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  /** @throws if the database does not answer */
  static async open({ watched }: Pick<Database, 'watched'>, name = 'sonant'): Promise<Snapshot> {
    const client = await watched.connect({ application_name: name })
    try {
      // PostgreSQL rejects the setting on some systems.
      await client.query(CHECK_CONNECTION).catch(() => undefined)
      await client.query(BEGIN)
      await client.query(NO_TRANSACTION_TIMEOUT)
      return new Snapshot(client)
    } catch (error) {
      void client.end()
      throw error
    }
  }

  async query<Row extends QueryResultRow>(text: string): Promise<Row[]> {
    return (await this.#client.query<Row>(text)).rows
  }

  /**
   * Returns the bytes of a `copy … to stdout`. They are complete only if `commit` succeeds and `rowCount` equals the rows that
   * arrived.
   */
  copy(text: string): CopyToStreamQuery {
    const copied = this.#client.query(copyTo(text))
    // A reader that attaches after a failure finds the stream destroyed.
    return copied.on('error', (error) => copied.destroy(error))
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
