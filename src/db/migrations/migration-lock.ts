import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'

const LOCK = 7_306_190_411
/** The lock of Prisma's own command line. */
const PRISMA_LOCK = 72_707_369
const POLL_MS = 100

/**
 * Lets one process migrate until its connection ends. Others poll, because a waiting statement's snapshot would block a concurrent
 * index build forever.
 */
export async function lockMigrations(client: Client): Promise<void> {
  for (const lock of [LOCK, PRISMA_LOCK]) {
    while (!(await isTaken(client, lock))) await wait(POLL_MS)
  }
}

async function isTaken(client: Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lock])
  return rows[0]?.taken === true
}
