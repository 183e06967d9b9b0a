import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { Client, escapeIdentifier } from 'pg'
import { inject } from 'vitest'

const OBJECT_IN_USE = '55006'
const BUSY_POLL_MS = 20
const BUSY_DEADLINE_MS = 60_000

export interface TestDatabase {
  readonly url: string
  /** Drops it, ending the connections that are left. */
  drop(): Promise<void>
}

/** A database of one's own, cloned from a template of global.ts: `migrated` and empty, or `opened` by the service before. */
export async function createTestDatabase(from: 'migrated' | 'opened' = 'migrated'): Promise<TestDatabase> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await cloneDatabase(name, from)
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    drop: () => administer((client) => client.query(`drop database if exists ${escapeIdentifier(name)} with (force)`)),
  }
}

/** The same with a name of its own, for the caller to drop. */
export async function cloneDatabase(name: string, from: 'migrated' | 'opened'): Promise<void> {
  const deadline = Date.now() + BUSY_DEADLINE_MS
  await administer(async (client) => {
    for (;;) {
      try {
        // Copying the files is faster than the log here, where nothing is flushed.
        return await client.query(
          `create database ${escapeIdentifier(name)} template sonant_${from} strategy file_copy`,
        )
      } catch (error) {
        const busy = error instanceof Error && 'code' in error && error.code === OBJECT_IN_USE
        if (!busy || Date.now() > deadline) throw error
      }
      await wait(BUSY_POLL_MS)
    }
  })
}

async function administer(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: inject('databaseUrl') })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
