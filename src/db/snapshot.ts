import type { Client, QueryResultRow } from 'pg'
import { type CopyToStreamQuery, to as copyTo } from 'pg-copy-streams'
import type { Database } from './database.ts'

/** What a backup's connection calls itself: it may read for hours, and is not to be ended for that. */
export const BACKUP = 'sonant backup'
/** Otherwise PostgreSQL would not notice that the connection is gone while it waits for a lock, counts or sorts. */
const CHECK_CONNECTION = `set client_connection_check_interval = '100ms'`
/** PostgreSQL has it since version 17. */
const NO_TRANSACTION_TIMEOUT = `select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`
/**
 * Workers would be taken from the queue; and on few cores they make counting slower. A role's time limit is meant for requests: what is
 * copied takes as long as there are rows.
 */
const BEGIN = `begin isolation level repeatable read read only; set local statement_timeout = 0;
  set local max_parallel_workers_per_gather = 0; set local idle_in_transaction_session_timeout = '15s'`

/**
 * What the database holds at one point in time, over a connection of its own: a long read takes none from the pool, and is broken off by closing
 * the connection, which no other statement uses.
 */
export class Snapshot {
  readonly #client: Client

  private constructor(client: Client) {
    this.#client = client
  }

  /**
   * @param name what its connection calls itself
   * @throws where the database does not answer now
   */
  static async open({ watched }: Pick<Database, 'watched'>, name = 'sonant'): Promise<Snapshot> {
    const client = await watched.connect({ application_name: name })
    try {
      // Not every system that PostgreSQL runs on can tell: there a statement ends when it has something to send.
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
   * The bytes of a `copy … to stdout`. They end before PostgreSQL has said that they are all: what was copied is complete once `commit` has
   * succeeded and `rowCount` is the number of rows that came.
   */
  copy(text: string): CopyToStreamQuery {
    const copied = this.#client.query(copyTo(text))
    // For a reader that is not there yet: it finds the stream broken. Once the bytes have ended, `commit` fails.
    return copied.on('error', (error) => copied.destroy(error))
  }

  /** Waits for what was begun before. @throws where any of it failed */
  async commit(): Promise<void> {
    const { command } = await this.#client.query('commit')
    if (command !== 'COMMIT') throw new Error('the statement before the commit failed')
  }

  /** Ends what still runs within it, in PostgreSQL too. May be called more than once. */
  close(): void {
    void this.#client.end()
  }
}
