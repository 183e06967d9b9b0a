import { hkdfSync } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Settings } from '../context/config.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import { writeChecked } from './checked-file.ts'
import type { Manifest } from './manifest.ts'

const NAME = 'secret.key'
const FINGERPRINT_BYTES = 8

/** Keeps the key that opens the webhook secrets, unless it comes from the environment: then only what tells it from another one. */
export async function keepSecretKey(settings: Settings, dir: string): Promise<Manifest['secretKey']> {
  const { secretKey, dataDir } = settings
  if (secretKey !== null) return { file: null, fingerprint: fingerprintOf(secretKey) }
  const text = await readFile(join(dataDir, NAME), 'utf8').catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error
    throw invalidRequest(
      `There is no ${join(dataDir, NAME)}: set SECRET_KEY, or DATA_DIR to the directory that the service uses.`,
    )
  })
  return { file: await writeChecked(dir, NAME, Readable.from([text])), fingerprint: fingerprintOf(text.trim()) }
}

/** @throws ServiceError INVALID_REQUEST where this place has another key, under which nothing that was encrypted would open */
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

/** Nothing that signs or encrypts has run here yet. */
export async function restoreSecretKey(settings: Settings, dir: string, kept: Manifest['secretKey']): Promise<void> {
  if (settings.secretKey !== null || kept.file === null) return
  await copyFile(join(dir, kept.file.path), join(settings.dataDir, NAME))
}

/** Says nothing about the key but whether another one is the same. */
const fingerprintOf = (secret: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', 'sonant/fingerprint', FINGERPRINT_BYTES)).toString('hex')
