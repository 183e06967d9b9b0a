import { requireSystem } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { UnreadableSecret } from '../../values/secret-vault.ts'
import type { SigningParts } from './signing-secrets.ts'

const PAGE_ROWS = 500

interface Rekeyed {
  readonly rekeyed: number
  readonly current: number
  readonly unreadable: number
}

interface SealedSecret {
  readonly id: bigint
  readonly accountId: string
  readonly sealed: Uint8Array<ArrayBuffer>
}

type Totals = { -readonly [Name in keyof Rekeyed]: number }

/**
 * Seals secrets under SECRET_KEY instead of OLD_SECRET_KEY. Each page commits alone, so an interrupted run can resume.
 * @throws INVALID_REQUEST without an OLD_SECRET_KEY
 */
export async function rekeyWebhookSecrets(ctx: Context & SigningParts): Promise<Rekeyed> {
  requireSystem(ctx)
  if (ctx.settings.oldSecretKey === null) {
    throw invalidRequest('Set OLD_SECRET_KEY or OLD_SECRET_KEY_FILE to what SECRET_KEY was before.')
  }
  const total = { rekeyed: 0, current: 0, unreadable: 0 }
  for (let after = 0n; ; ) {
    const last = await rekeyPage(ctx, after, total)
    if (last === null) return total
    after = last
  }
}

async function rekeyPage(ctx: Context & SigningParts, after: bigint, total: Totals): Promise<bigint | null> {
  const rows = await ctx.db.prisma.webhookSecret.findMany({
    where: { id: { gt: after } },
    orderBy: { id: 'asc' },
    take: PAGE_ROWS,
    select: { id: true, accountId: true, sealed: true },
  })
  const writes = rows.flatMap((row) => {
    const outcome = rekeyRow(ctx, row)
    if (typeof outcome === 'string') total[outcome]++
    return typeof outcome === 'string' ? [] : [outcome]
  })
  // The update repeats the bytes read, so a secret changed meanwhile stays.
  const written = await ctx.db.prisma.$transaction(writes)
  for (const { count } of written) total[count === 1 ? 'rekeyed' : 'current']++
  return rows.at(-1)?.id ?? null
}

function rekeyRow(ctx: Context & SigningParts, { id, accountId, sealed }: SealedSecret) {
  if (ctx.vault.isCurrent(accountId, sealed)) return 'current'
  try {
    const resealed = ctx.vault.seal(accountId, ctx.vault.open(accountId, sealed))
    return ctx.db.prisma.webhookSecret.updateMany({ where: { id, sealed }, data: { sealed: resealed } })
  } catch (error) {
    if (error instanceof UnreadableSecret) return 'unreadable'
    throw error
  }
}
