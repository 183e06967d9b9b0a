import { hkdfSync } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Settings } from '../context/config.ts'
import { openWebhookVault } from '../context/secret-key.ts'
import type { Database } from '../db/database.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import { writeChecked } from './checked-file.ts'
import type { Manifest } from './manifest.ts'

const NAME = 'secret.key'
const FINGERPRINT_BYTES = 8

const NEWEST_SECRETS = 'select account_id, sealed from webhook_secret order by id desc limit 100'
const REMEDY = 'If that key is lost, rotate a webhook secret first.'

interface ReadKey {
  readonly secret: string
  readonly file: string | null
}

interface Sealed {
  readonly account_id: string
  readonly sealed: Buffer
}

/**
 * Reads the service's key, which must open a recent webhook secret: other settings lead to another key.
 * @throws INVALID_REQUEST if there is none, or another service's
 */
export async function readSecretKey(settings: Settings, db: Pick<Database, 'pool'>): Promise<ReadKey> {
  const { secretKey, oldSecretKey, dataDir } = settings
  const file = secretKey === null ? await readFile(join(dataDir, NAME), 'utf8').catch(toRemedy(dataDir)) : null
  const secret = secretKey ?? (file ?? '').trim()
  const { rows } = await db.pool.query<Sealed>(NEWEST_SECRETS).catch(ignoreOlderSchema)
  const vault = openWebhookVault(secret, oldSecretKey)
  const isService = rows.length === 0 || rows.some(({ account_id, sealed }) => vault.opens(account_id, sealed))
  if (isService) return { secret, file }
  throw invalidRequest(
    file !== null
      ? `The key in ${join(dataDir, NAME)} does not open the service's webhook secrets: set SECRET_KEY to what the service uses, or DATA_DIR to the directory that it uses. ${REMEDY}`
      : `SECRET_KEY does not open the service's webhook secrets: set SECRET_KEY to what the service uses. ${REMEDY}`,
  )
}

const toRemedy = (dataDir: string) => (error: unknown) => {
  if (errorCode(error) !== 'ENOENT') throw error
  throw invalidRequest(
    `There is no ${join(dataDir, NAME)}: set SECRET_KEY, or DATA_DIR to the directory that the service uses.`,
  )
}

const ignoreOlderSchema = (error: unknown): { rows: Sealed[] } => {
  if (errorCode(error) === '42P01') return { rows: [] }
  throw error
}

export async function keepSecretKey({ secret, file }: ReadKey, dir: string): Promise<Manifest['secretKey']> {
  const kept = file === null ? null : await writeChecked(dir, NAME, Readable.from([file]))
  return { file: kept, fingerprint: fingerprintOf(secret) }
}

/** @throws INVALID_REQUEST if this place has another key */
export async function checkSecretKey({ secretKey, dataDir }: Settings, kept: Manifest['secretKey']): Promise<void> {
  const here = secretKey ?? (await readFile(join(dataDir, NAME), 'utf8').catch(() => null))
  if (here === null && kept.file !== null) return
  if (here !== null && fingerprintOf(here.trim()) === kept.fingerprint) return
  const where = secretKey === null ? `${join(dataDir, NAME)} is` : 'SECRET_KEY is'
  throw invalidRequest(
    here === null
      ? 'The backup was made under a SECRET_KEY from the environment, which it does not hold: set SECRET_KEY to the same.'
      : `${where} another key than the one that the backup was made under, whose webhook secrets would not open: set SECRET_KEY to that one${kept.file === null ? '' : `, which ${NAME} in the backup holds`}.`,
  )
}

/** @throws INVALID_REQUEST if a service has created a key here meanwhile */
export async function restoreSecretKey(settings: Settings, dir: string, kept: Manifest['secretKey']): Promise<void> {
  if (settings.secretKey !== null || kept.file === null) return
  const own = join(settings.dataDir, `${NAME}.${process.pid}.restored`)
  try {
    // Linked into place, so that a starting service never reads a partial key.
    await writeFile(own, await readFile(join(dir, kept.file.path)), { mode: 0o600, flush: true })
    await link(own, join(settings.dataDir, NAME))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    await checkSecretKey(settings, kept)
  } finally {
    await rm(own, { force: true })
  }
}

const fingerprintOf = (secret: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', 'sonant/fingerprint', FINGERPRINT_BYTES)).toString('hex')
