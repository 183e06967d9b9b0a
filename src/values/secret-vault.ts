import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface SecretVault {
  /** Key version (1 byte), nonce (12), ciphertext, tag (16); bound to the account. */
  seal(accountId: string, secret: Uint8Array): Buffer<ArrayBuffer>
  /** @throws UnreadableSecret under another key, another account's, or damaged */
  open(accountId: string, sealed: Uint8Array): Buffer
  opens(accountId: string, sealed: Uint8Array): boolean
  isCurrent(accountId: string, sealed: Uint8Array): boolean
}

export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret'
}

/** @param keys of 32 bytes each; the first seals, all of them open */
export function openVault(keys: readonly [Uint8Array, ...Uint8Array[]]): SecretVault {
  const [current] = keys
  return {
    seal: (accountId, secret) => seal(current, accountId, secret),
    open: (accountId, sealed) => {
      for (const key of keys) {
        const secret = tryOpen(key, accountId, sealed)
        if (secret !== null) return secret
      }
      throw new UnreadableSecret('a webhook secret does not open under SECRET_KEY')
    },
    opens: (accountId, sealed) => keys.some((key) => tryOpen(key, accountId, sealed) !== null),
    isCurrent: (accountId, sealed) => tryOpen(current, accountId, sealed) !== null,
  }
}

function seal(key: Uint8Array, accountId: string, secret: Uint8Array): Buffer<ArrayBuffer> {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(accountId))
  return Buffer.concat([versionOf(key), nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

function tryOpen(key: Uint8Array, accountId: string, sealed: Uint8Array): Buffer | null {
  if (sealed.length <= 1 + NONCE_BYTES + TAG_BYTES || sealed[0] !== versionOf(key)[0]) return null
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(accountId))
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

/** Derived from the key, so no counter is stored. The tag decides if versions collide. */
const versionOf = (key: Uint8Array): Buffer => createHash('sha256').update(key).digest().subarray(0, 1)
