import { newWebhookSecret } from '../../accounts/new-webhook-secret.ts'
import type { Parts } from '../../context/context.ts'
import type { Tx } from '../../db/database.ts'
import { lockRowIn } from '../../db/lock-row.ts'
import { newId } from '../../values/id.ts'
import type { SecretVault } from '../../values/secret-vault.ts'
import { UnreadableSecret } from '../../values/secret-vault.ts'

const SIGNING_SECRETS = 2

export interface SigningParts extends Pick<Parts, 'log'> {
  readonly vault: SecretVault
}

interface SigningSecrets {
  /** Newest first; two within 24 hours of a rotation. */
  readonly secrets: readonly Buffer[]
  /** Unix seconds of the database's clock, which also decides freshness. */
  readonly timestamp: number
}

interface Row {
  readonly timestamp: string
  readonly sealed: Buffer | null
}

export interface SealedSecrets {
  readonly sealed: readonly Buffer[]
  readonly signedAt: string
}

const NOW = 'floor(extract(epoch from now()))::bigint'
const SIGNING = '(expires_at is null or expires_at > now()) order by id desc'

export const sealedColumns = (account: string): string =>
  `${NOW} as "signedAt", array(select sealed from webhook_secret where account_id = ${account} and ${SIGNING} limit ${SIGNING_SECRETS}) as sealed`

/**
 * Opens the account's signing secrets and creates the first. If only the older of two is unreadable, the newest signs alone.
 * @param read secrets already read, in this transaction or just before
 * @throws UnreadableSecret
 */
export async function signingSecrets(
  parts: SigningParts,
  tx: Pick<Tx, 'query'>,
  accountId: string,
  read?: SealedSecrets,
): Promise<SigningSecrets> {
  if (read !== undefined && read.sealed.length > 0) return opened(parts, accountId, Number(read.signedAt), read.sealed)
  let rows = await findSealed(tx, accountId)
  if (rows[0]!.sealed === null) {
    // Without the lock two deliveries could each create a secret.
    await lockRowIn(tx, 'account', accountId)
    rows = await findSealed(tx, accountId)
  }
  const timestamp = Number(rows[0]!.timestamp)
  const sealed = rows.flatMap((row) => row.sealed ?? [])
  if (sealed.length === 0) return { timestamp, secrets: [await addFirst(parts, tx, accountId)] }
  return opened(parts, accountId, timestamp, sealed)
}

function opened(
  parts: SigningParts,
  accountId: string,
  timestamp: number,
  [newest, ...older]: readonly Buffer[],
): SigningSecrets {
  const secrets = [
    parts.vault.open(accountId, newest as Buffer),
    ...older.flatMap((sealed) => openOlder(parts, accountId, sealed)),
  ]
  return { timestamp, secrets }
}

function openOlder({ vault, log }: SigningParts, accountId: string, sealed: Buffer): Buffer[] {
  try {
    return [vault.open(accountId, sealed)]
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error
    log.warn({ accountId }, 'an old webhook secret does not open: the newest signs alone')
    return []
  }
}

async function addFirst({ vault }: SigningParts, tx: Pick<Tx, 'query'>, accountId: string): Promise<Buffer> {
  const secret = newWebhookSecret()
  const sealed = vault.seal(accountId, secret)
  // The transaction that ends a job takes SQL, not Prisma Client.
  await tx.query('insert into webhook_secret (account_id, sealed, public_id) values ($1, $2, $3)', [
    accountId,
    sealed,
    newId('secret'),
  ])
  return secret
}

async function findSealed(tx: Pick<Tx, 'query'>, accountId: string): Promise<Row[]> {
  const { rows } = await tx.query<Row>({
    name: 'signing_secrets',
    text: `select ${NOW} as timestamp, s.sealed
           from (select) as once left join (
             select id, sealed from webhook_secret where account_id = $1 and ${SIGNING} limit ${SIGNING_SECRETS}
           ) s on true order by s.id desc`,
    values: [accountId],
  })
  return rows
}
