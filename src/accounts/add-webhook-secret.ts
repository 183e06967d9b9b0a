import { randomBytes } from 'node:crypto'
import type { Tx } from '../db/database.ts'
import type { SecretVault } from '../values/secret-vault.ts'

const SECRET_BYTES = 32
/** The bytes of a new signing secret: they are the HMAC key. */
export const newWebhookSecret = (): Buffer => randomBytes(SECRET_BYTES)

/** Stores a new secret, never shown, and returns its bytes. */
export async function addSecret(parts: { readonly vault: SecretVault }, tx: Tx, accountId: string): Promise<Buffer> {
  const secret = newWebhookSecret()
  await tx.query('insert into webhook_secret (account_id, sealed) values ($1, $2)', [
    accountId,
    parts.vault.seal(accountId, secret),
  ])
  return secret
}
