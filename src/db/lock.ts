import type { Database } from './database.ts'

/** Runs `work` while no other process runs anything under the same name. The lock ends with its connection, so a crash frees it. */
export async function withLock<T>(
  { direct }: Pick<Database, 'direct'>,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  // Of its own: behind a pooler in transaction mode the pool's connections would leave it locked.
  const client = await direct.connect({ application_name: 'sonant' })
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`sonant ${name}`])
    return await work()
  } finally {
    // Closing the connection frees the lock whatever state it is in.
    await client.end()
  }
}
