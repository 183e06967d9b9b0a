import { Client } from 'pg'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { until } from '../wait.ts'

const TIMEOUT_MS = 60_000

/** A table that no statement can read until it is unlocked, and what waits for that. */
interface LockedTable {
  /** How many statements wait for it. */
  countWaiting(): Promise<number>
  /** Waits until that many statements do, one unless told. */
  waitedFor(count?: number): Promise<void>
  /** Waits until no statement does. */
  givenUp(): Promise<void>
  unlock(): Promise<void>
}

export const lockJobs = (runtime: Runtime): Promise<LockedTable> => lockTable(runtime, 'job')

type Lockable = 'job' | 'artifact' | 'api_key' | 'webhook_delivery'

export async function lockTable({ db }: Runtime, table: Lockable): Promise<LockedTable> {
  // Connections of their own: the pool may be the one that waits.
  const [client, watch] = [new Client(db.url), new Client(db.url)]
  await Promise.all([client.connect(), watch.connect()])
  await client.query(`begin; lock table ${table} in access exclusive mode`)
  const countWaiting = async () => {
    const { rows } = await watch.query<{ n: number }>(
      `select count(*)::int as n from pg_locks
       where not granted and relation = $1::regclass
         and database = (select oid from pg_database where datname = current_database())`,
      [table],
    )
    return rows[0]!.n
  }
  return {
    countWaiting,
    waitedFor: async (count = 1) => {
      await until(async () => (await countWaiting()) >= count, TIMEOUT_MS, 'a statement to run')
    },
    givenUp: async () => {
      await until(async () => (await countWaiting()) === 0, TIMEOUT_MS, 'the statement to be cancelled')
    },
    unlock: async () => {
      await client.query('rollback')
      await Promise.all([client.end(), watch.end()])
    },
  }
}
