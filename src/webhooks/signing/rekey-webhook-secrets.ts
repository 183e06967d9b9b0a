import { requireSystem } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { inTransaction, type Tx } from '../../db/database.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { UnreadableSecret } from '../../values/secret-vault.ts'
import type { SigningParts } from './signing-secrets.ts'

const PAGE_ROWS = 500

interface Rekeyed {
  /** Sealed anew by this run. */
  readonly rekeyed: number
  /** Under the current key already: from an earlier run that was broken off, or made since. */
  readonly current: number
  /** Under a key that is neither SECRET_KEY nor OLD_SECRET_KEY. */
  readonly unreadable: number
}

interface Row {
  id: string
  account_id: string
  sealed: Buffer
}

/**
 * Seals all webhook secrets under SECRET_KEY that are still under OLD_SECRET_KEY. Each page is a transaction of its own and what is done
 * is known from the rows themselves: broken off at any point, it goes on where it stopped.
 * @throws INVALID_REQUEST without an OLD_SECRET_KEY
 */
export async function rekeyWebhookSecrets(ctx: Context & SigningParts): Promise<Rekeyed> {
  requireSystem(ctx)
  if (ctx.settings.oldSecretKey === null) {
    throw invalidRequest('Set OLD_SECRET_KEY or OLD_SECRET_KEY_FILE to what SECRET_KEY was before.')
  }
  const total = { rekeyed: 0, current: 0, unreadable: 0 }
  for (let after = '0'; ; ) {
    const rows = await inTransaction(ctx.db, (tx) => rekeyPage(ctx, tx, after, total))
    const last = rows.at(-1)
    if (last === undefined) return total
    after = last.id
  }
}

async function rekeyPage(
  ctx: Context & SigningParts,
  tx: Tx,
  after: string,
  total: { -readonly [Name in keyof Rekeyed]: number },
): Promise<Row[]> {
  const { rows } = await tx.query<Row>(
    `select id, account_id, sealed from webhook_secret where id > $1 order by id limit ${PAGE_ROWS} for update`,
    [after],
  )
  for (const row of rows) {
    const outcome = await rekeyRow(ctx, tx, row)
    total[outcome]++
  }
  return rows
}

async function rekeyRow(ctx: Context & SigningParts, tx: Tx, { id, account_id, sealed }: Row): Promise<keyof Rekeyed> {
  if (ctx.vault.isCurrent(account_id, sealed)) return 'current'
  try {
    const secret = ctx.vault.open(account_id, sealed)
    await tx.query('update webhook_secret set sealed = $2 where id = $1', [id, ctx.vault.seal(account_id, secret)])
    return 'rekeyed'
  } catch (error) {
    if (error instanceof UnreadableSecret) return 'unreadable'
    throw error
  }
}
