import type { Client } from 'pg'
import { endSilent, POLL_MS } from './connections/end-silent.ts'
import { isHeldUp } from './connections/lock-wait.ts'
import type { Database, Tx } from './database.ts'

/** Of the time between two polls: a connection that waits for its lock says in each of them that it is there. */
const LOCK_TIMEOUT_SHARE = 0.4

/**
 * Runs `work` while no other process runs anything under the same name. The lock ends with its connection, so a crash frees it.
 * @param pollMs as `endSilent` has it
 * @throws what `work` throws; where the connection is lost meanwhile, that: others may run by then, so what `work` does from then on is not to be relied on
 */
export async function withLock<T>(
  { direct }: Pick<Database, 'direct'>,
  name: string,
  work: () => Promise<T>,
  pollMs = POLL_MS,
): Promise<T> {
  // Of its own: behind a pooler in transaction mode the pool's connections would leave it locked.
  const client = await direct.connect({ application_name: 'sonant' })
  const lost = new Promise<never>((_, reject) => {
    client.once('end', () => reject(new Error(`Connection terminated: the lock "${name}" was lost`)))
  })
  lost.catch(() => undefined)
  endSilent(client, { everyMs: pollMs })
  try {
    // A role's time limits are meant for requests: another process may hold the lock for as long as its work takes.
    const lockTimeoutMs = Math.round(pollMs * LOCK_TIMEOUT_SHARE)
    await client.query(`set statement_timeout = 0; set lock_timeout = ${lockTimeoutMs}; set idle_session_timeout = 0`)
    await takeLock(client, `sonant ${name}`)
    return await Promise.race([work(), lost])
  } finally {
    // Closing the connection frees the lock whatever state it is in.
    await client.end()
  }
}

/** In short waits, each of which is answered: a server that says nothing for longer is gone. */
async function takeLock(client: Client, name: string): Promise<void> {
  for (;;) {
    try {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
      return
    } catch (error) {
      if (!isHeldUp(error)) throw error
    }
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
