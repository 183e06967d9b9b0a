import type { Client } from 'pg'
import { isHeldUp } from './connections/lock-wait.ts'
import type { Database, Tx } from './database.ts'

const LOCK_TIMEOUT_SHARE = 0.4
const POLL_MS = 5_000
const SILENT_POLLS = 3

interface Wire {
  readonly readyForQuery: boolean | undefined
  readonly connection: { readonly stream: { readonly bytesRead: number; destroy(error: Error): void } }
}

interface SilenceOptions {
  readonly everyMs?: number | undefined
  readonly ask?: (() => Promise<unknown>) | undefined
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

/**
 * Ends a connection from which nothing came for 15 to 20 s although it was polled. TCP keep-alive misses a hanging proxy. Only for
 * connections with short statements.
 */
export function endSilent(client: Client, { everyMs = POLL_MS, ask }: SilenceOptions = {}): void {
  const wire = client as unknown as Wire
  const { stream } = wire.connection
  const askSelf = ask ?? (() => client.query('select'))
  let [received, polls, isAsked] = [stream.bytesRead, 0, false]
  const poll = (): void => {
    polls = stream.bytesRead === received ? polls + 1 : 0
    received = stream.bytesRead
    if (polls >= SILENT_POLLS) stream.destroy(new Error('Connection terminated: the server does not answer any more'))
    if (polls !== 1 || isAsked || wire.readyForQuery === false) return
    isAsked = true
    const answered = (): void => {
      isAsked = false
    }
    askSelf().then(answered, answered)
  }
  const timer = setInterval(poll, everyMs).unref()
  client.once('end', () => clearInterval(timer))
}
