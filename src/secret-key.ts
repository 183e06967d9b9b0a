import { hkdfSync, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const KEY_BYTES = 32

/** What a subkey is for: one leaked or misused key says nothing about the others. */
export type KeyPurpose = 'media-urls' | 'webhook-secrets'

/** The service's root secret: SECRET_KEY, or one made once under DATA_DIR with mode 0600 (contract.md section 9). */
export function loadSecretKey(given: string | null, dataDir: string): string {
  if (given !== null) return given
  const path = join(dataDir, 'secret.key')
  return readIfThere(path) ?? createOnce(path)
}

export const deriveKey = (secret: string, purpose: KeyPurpose): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, '', `sonant/${purpose}`, KEY_BYTES))

/** Written beside and linked into place, so that processes starting together agree on one key and never read half of it. */
function createOnce(path: string): string {
  const own = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  writeFileSync(own, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
  try {
    linkSync(own, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(own)
  }
  return readFileSync(path, 'utf8').trim()
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
