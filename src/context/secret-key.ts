import { hkdfSync, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DataDirectoryError, errorCode, syncEntries, usingSync } from '../values/data-directory.ts'
import { openVault, type SecretVault } from '../values/secret-vault.ts'

const KEY_BYTES = 32
export const MIN_SECRET_CHARACTERS = 32

type KeyPurpose = 'media-urls' | 'webhook-secrets'

/**
 * Returns SECRET_KEY, or one made once under DATA_DIR with mode 0600.
 * Without `kept` a missing key is made for this process alone.
 * @throws DataDirectoryError if the file cannot be kept or holds no key
 */
export function loadSecretKey(given: string | null, dataDir: string, kept = true): string {
  if (given !== null) return given
  const path = join(dataDir, 'secret.key')
  const secret = usingSync(dataDir, () => readIfThere(path) ?? (kept ? createOnce(dataDir, path) : randomKey()))
  if (secret.length >= MIN_SECRET_CHARACTERS) return secret
  throw new DataDirectoryError(
    `The secret key in ${path} is damaged: restore the file, or remove it to have a new key made; signed URLs and webhook secrets made with the old key then stop working.`,
  )
}

export const deriveKey = (secret: string, purpose: KeyPurpose): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `sonant/${purpose}`, KEY_BYTES))

export const openWebhookVault = (secret: string, oldSecret: string | null): SecretVault =>
  openVault([
    deriveKey(secret, 'webhook-secrets'),
    ...(oldSecret === null ? [] : [deriveKey(oldSecret, 'webhook-secrets')]),
  ])

const randomKey = (): string => randomBytes(KEY_BYTES).toString('base64')

/**
 * The key is written and flushed beside its place, then linked,
 * so processes that start together agree and a crash leaves no half of it.
 */
function createOnce(dataDir: string, path: string): string {
  const own = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    writeFileSync(own, `${randomKey()}\n`, { mode: 0o600, flag: 'wx', flush: true })
    linkSync(own, path)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  } finally {
    rmSync(own, { force: true })
  }
  syncEntries(dataDir)
  return readFileSync(path, 'utf8').trim()
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}
