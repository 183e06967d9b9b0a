import { setTimeout as pause } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { ServiceError } from '../errors/service-error.ts'
import { isVoiceKey } from '../library/account-voice.ts'

export const LONGEST_WAIT_MS = 60_000
const PAUSE_MS = 500

/** Older schemas lack `deleted_at`. */
const ARTIFACTS = `
  select storage_key as key from artifact a where storage_key = any($1) and to_jsonb(a) ->> 'deleted_at' is null`
const VOICES = 'select storage_key as key from account_voice where storage_key = any($1) and ready_at is not null'

type Asked = Pick<Database, 'pool'>

export async function keysInUse({ pool }: Asked, keys: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const [files, some] of [
    [ARTIFACTS, keys.filter((key) => !isVoiceKey(key))],
    [VOICES, keys.filter(isVoiceKey)],
  ] as const) {
    if (some.length > 0) found.push(...(await pool.query<{ key: string }>(files, [some])).rows.map(({ key }) => key))
  }
  return found
}

/**
 * Waits until the database counts the keys as deleted.
 * @throws UNAVAILABLE after `longestWaitMs`
 */
export async function untilDeleted(db: Asked, keys: readonly string[], longestWaitMs = LONGEST_WAIT_MS): Promise<void> {
  const giveUpAt = performance.now() + longestWaitMs
  for (let left = await keysInUse(db, keys); left.length > 0; left = await keysInUse(db, left)) {
    if (performance.now() >= giveUpAt) throw missing(left)
    await pause(PAUSE_MS)
  }
}

function missing([key, ...others]: readonly string[]): ServiceError {
  const files = others.length === 0 ? `The audio ${key} is` : `The audio ${key} and ${others.length} more files are`
  return new ServiceError(
    'UNAVAILABLE',
    `${files} not in the store, and nothing has deleted it by the database. The backup was broken off.`,
  )
}
