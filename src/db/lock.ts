import type { Database, Tx } from './database.ts'

/** Runs `work` while no other process runs anything under the same name. The lock ends with its connection, so a crash frees it. */
export async function withLock<T>(
  { direct }: Pick<Database, 'direct'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  // Of its own: behind a pooler in transaction mode the pool's connections would leave it locked.
  const client = await direct.connect({ application_name: 'sonant' })
  try {
    // A role's time limits are meant for requests: another process may hold the lock for as long as its work takes.
    await client.query('set statement_timeout = 0; set lock_timeout = 0; set idle_session_timeout = 0')
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`sonant ${name}`])
    return await work()
  } finally {
    // Closing the connection frees the lock whatever state it is in.
    await client.end()
  }
}

/**
 * Whether this transaction holds the lock, until its end: not while another one does, which is not waited for.
 * @param lock any number, the same for all that exclude each other
 */
export async function tryLock(tx: Tx, lock: number): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [lock])
  return rows[0]?.locked === true
}
