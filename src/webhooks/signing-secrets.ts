import type { Parts } from '../context.ts'
import type { Tx } from '../db/database.ts'
import { newWebhookSecret } from './webhook-secret.ts'

const SIGNING_SECRETS = 2

interface Row {
  sealed: Buffer
}

/**
 * The secrets that sign now, newest first: one, or two within 24 hours of a rotation (spec 6.5). An account from before there were
 * secrets gets its first one here.
 * @throws UnreadableSecret
 */
export async function signingSecrets(parts: Pick<Parts, 'vault'>, tx: Tx, accountId: string): Promise<Buffer[]> {
  const rows = await findSealed(tx, accountId)
  if (rows.length > 0) return rows.map(({ sealed }) => parts.vault.open(accountId, sealed))
  await lockAccount(tx, accountId)
  const made = await findSealed(tx, accountId)
  if (made.length > 0) return made.map(({ sealed }) => parts.vault.open(accountId, sealed))
  return [await addSecret(parts, tx, accountId)]
}

/** Stores a new secret that nobody has seen, and returns its bytes. */
export async function addSecret(parts: Pick<Parts, 'vault'>, tx: Tx, accountId: string): Promise<Buffer> {
  const secret = newWebhookSecret()
  await tx.query('insert into webhook_secret (account_id, sealed) values ($1, $2)', [
    accountId,
    parts.vault.seal(accountId, secret),
  ])
  return secret
}

/** Makes rotations of one account wait for each other. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.query('select from account where id = $1 for no key update', [accountId])
}

async function findSealed(tx: Tx, accountId: string): Promise<Row[]> {
  const { rows } = await tx.query<Row>({
    name: 'signing_secrets',
    text: `select sealed from webhook_secret where account_id = $1 and (expires_at is null or expires_at > now())
           order by id desc limit ${SIGNING_SECRETS}`,
    values: [accountId],
  })
  return rows
}
