import type { Client } from 'pg'
import { LOCK_TIMEOUT_MS } from './until-unlocked.ts'

/** What commits together, and waits for no lock for long: see `untilUnlocked`. */
export async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    // Where the connection is gone, so is the transaction.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}
