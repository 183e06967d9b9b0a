import { isHeldUp } from './connections/lock-wait.ts'
import type { Session } from './connections/session-client.ts'
import type { Database, Tx } from './database.ts'

const LOCK_TIMEOUT_SHARE = 0.4
const POLL_MS = 5_000
const SILENT_POLLS = 3

/** The statement that waits for the lock. */
interface Turn {
  answer?: Promise<unknown>
}

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
  try {
    // Another process may hold the lock for long, so the role's time limits must not apply.
    const lockTimeoutMs = Math.round(pollMs * LOCK_TIMEOUT_SHARE)
    await client.query(`set statement_timeout = 0; set lock_timeout = ${lockTimeoutMs}; set idle_session_timeout = 0`)
    const turn: Turn = {}
    endSilent(client, pollMs, () => turn.answer ?? client.query('select'))
    await takeLock(client, `sonant ${name}`, turn)
    return await Promise.race([work(), lost])
  } finally {
    await client.end()
  }
}

async function takeLock(client: Session, name: string, turn: Turn): Promise<void> {
  for (;;) {
    try {
      turn.answer = client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
      await turn.answer
      return
    } catch (error) {
      if (!isHeldUp(error)) throw error
    } finally {
      delete turn.answer
    }
  }
}

/** Takes the lock for the transaction, or returns false without waiting. */
export async function tryLock(tx: Tx, lock: number): Promise<boolean> {
  const { rows } = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [lock])
  return rows[0]?.locked === true
}

/**
 * Ends a connection that leaves a question unanswered for 15 s. It is asked every 5 s, because TCP keep-alive misses a hanging proxy.
 * Only for connections with short statements.
 */
export function endSilent(
  client: Session,
  everyMs = POLL_MS,
  ask = (): Promise<unknown> => client.query('select'),
): void {
  let silentPolls = 0
  const answered = (): void => {
    silentPolls = 0
  }
  // It counts polls, because a process that was stopped for long has not asked meanwhile.
  const poll = (): void => {
    if (silentPolls === 0) ask().then(answered, answered)
    if (silentPolls++ >= SILENT_POLLS) client.cutOff()
  }
  const timer = setInterval(poll, everyMs).unref()
  client.once('end', () => clearInterval(timer))
}
