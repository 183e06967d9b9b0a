import type { Tx } from './database.ts'

/**
 * Whether this transaction holds the lock, until its end: not while another one does, which is not waited for.
 * @param lock any number, the same for all that exclude each other
 */
export async function tryLock(tx: Tx, lock: number): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [lock])
  return rows[0]?.locked === true
}
