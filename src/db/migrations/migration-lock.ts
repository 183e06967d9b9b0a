import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'

/** Any number, the same in every process. */
const LOCK = 7_306_190_411
/** What Prisma's own command line locks while it migrates. */
const PRISMA_LOCK = 72_707_369
const POLL_MS = 100

/**
 * Lets one process at a time migrate, until its connection ends. The others ask again and again instead of waiting in a statement: that
 * one's snapshot is what a concurrent build of an index waits for, so that both would wait for each other.
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
