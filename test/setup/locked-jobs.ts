import type { Runtime } from '../../src/runtime.ts'
import { until } from './service.ts'

const PATIENCE_MS = 10_000

/** Jobs that nobody can read until they are unlocked, and who waits for that. */
export interface LockedJobs {
  /** How many statements wait for them. */
  countWaiting(): Promise<number>
  /** Waits until a statement waits for them. */
  waitedFor(): Promise<void>
  /** Waits until no statement does. */
  givenUp(): Promise<void>
  unlock(): Promise<void>
}

export async function lockJobs({ db }: Runtime): Promise<LockedJobs> {
  const client = await db.pool.connect()
  await client.query('begin; lock table job in access exclusive mode')
  const countWaiting = async () => {
    const { rows } = await db.pool.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and state = 'active' and wait_event_type = 'Lock' and query like '%from job%'`,
    )
    return rows[0]!.n
  }
  return {
    countWaiting,
    waitedFor: async () => {
      await until(async () => (await countWaiting()) > 0, PATIENCE_MS, 'a statement to run')
    },
    givenUp: async () => {
      await until(async () => (await countWaiting()) === 0, PATIENCE_MS, 'the statement to be cancelled')
    },
    unlock: async () => {
      await client.query('rollback')
      client.release()
    },
  }
}
