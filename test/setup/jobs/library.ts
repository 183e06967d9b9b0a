import type { Database } from '../../../src/db/database.ts'
import { newId } from '../../../src/values/id.ts'

/** A voice of an account's own without a recording; returns its id. */
export async function insertVoice(db: Database, accountId: string): Promise<string> {
  const id = newId('voice')
  const fixed = { bytes: 1n, sha256: new Uint8Array(32), durationMs: 1000, consent: 'Yes.' }
  const times = { createdAt: new Date(), readyAt: new Date() }
  await db.prisma.accountVoice.create({
    data: { id, accountId, name: id, storageKey: `voices/${id}.wav`, ...fixed, ...times },
  })
  return id
}
