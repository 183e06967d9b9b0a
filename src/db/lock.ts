import type { Client } from 'pg'
import { endSilent, POLL_MS } from './connections/end-silent.ts'
import { isHeldUp } from './connections/lock-wait.ts'
import type { Database, Tx } from './database.ts'

const LOCK_TIMEOUT_SHARE = 0.4

/**
 * Runs `work` while no other process runs under the same name. The lock ends with its connection.
 * @throws what `work` throws; an error if the connection is lost, after which others may run
 */
export async function withLock<T>(
  { direct }: Pick<Database, 'direct'>,
  name: string,
  work: () => Promise<T>,
  pollMs = POLL_MS,
): Promise<T> {
  // A transaction pooler would lose the lock, so this needs its own connection.
  const client = await direct.connect({ application_name: 'sonant' })
  const lost = new Promise<never>((_, reject) => {
    client.once('end', () => reject(new Error(`Connection terminated: the lock "${name}" was lost`)))
  })
  lost.catch(() => undefined)
  endSilent(client, { everyMs: pollMs })
  try {
    // Another process may hold the lock for long, so the role's time limits must not apply.
    const lockTimeoutMs = Math.round(pollMs * LOCK_TIMEOUT_SHARE)
    await client.query(`set statement_timeout = 0; set lock_timeout = ${lockTimeoutMs}; set idle_session_timeout = 0`)
    await takeLock(client, `sonant ${name}`)
    return await Promise.race([work(), lost])
  } finally {
    await client.end()
  }
}

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

/** Takes the lock for the transaction, or returns false without waiting. */
export async function tryLock(tx: Tx, lock: number): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [lock])
  return rows[0]?.locked === true
}
