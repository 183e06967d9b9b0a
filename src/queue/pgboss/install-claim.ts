import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Database } from '../../db/database.ts'
import { withLock } from '../../db/lock.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { errorCode } from '../../values/data-directory.ts'

const SOURCE = new URL('claim_queued.sql', import.meta.url)
const SIGNATURE = 'claim_queued(text, integer, text, text, jsonb)'
const RECORDED = `select obj_description(to_regprocedure('${SIGNATURE}'), 'pg_proc') as version`
const INSUFFICIENT_PRIVILEGE = '42501'

interface Version {
  readonly revision: number
  readonly hash: string
}

/**
 * Installs claim_queued.sql, unless the database has it or a newer one.
 * @throws UNAVAILABLE if the role may not replace it
 */
export async function installClaim(db: Database): Promise<void> {
  const text = await readFile(SOURCE, 'utf8')
  const version = versionOf(text)
  if (covers(await readRecorded(db), version)) return
  await withLock(db, 'claim_queued', async () => {
    if (!covers(await readRecorded(db), version)) await replace(db, text, version)
  })
}

function versionOf(text: string): Version {
  const revision = Number(/^-- Revision (\d+)\./.exec(text)?.[1])
  return { revision, hash: createHash('sha256').update(text).digest('hex') }
}

async function readRecorded(db: Database): Promise<Version | null> {
  const { rows } = await db.pool.query<{ version: string | null }>(RECORDED)
  const [, revision, hash] = /^revision (\d+), sha256 ([0-9a-f]{64})$/.exec(rows[0]?.version ?? '') ?? []
  return revision === undefined || hash === undefined ? null : { revision: Number(revision), hash }
}

const covers = (recorded: Version | null, { revision, hash }: Version): boolean =>
  recorded !== null && (recorded.revision > revision || recorded.hash === hash)

async function replace(db: Database, text: string, { revision, hash }: Version): Promise<void> {
  try {
    await db.pool.query(`${text}\ncomment on function ${SIGNATURE} is 'revision ${revision}, sha256 ${hash}'`)
  } catch (error) {
    if (errorCode(error) !== INSUFFICIENT_PRIVILEGE) throw error
    const message =
      'Start once with the role that owns the database function claim_queued: the present role may not replace it.'
    throw new ServiceError('UNAVAILABLE', message, { cause: error })
  }
}
