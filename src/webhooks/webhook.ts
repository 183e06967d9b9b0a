import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireAccount, requireScope, requireSystem } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE } from '../access/scopes.ts'
import { newWebhookSecret } from '../accounts/create-account.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { lockRow } from '../db/lock-row.ts'
import { wherePublicId } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { checkWebhookUrl } from '../egress/check-webhook-url.ts'
import { invalidRequest, notFound, unknownId } from '../errors/service-error.ts'
import { newId } from '../values/id.ts'
import { OVERLAP_MS, type SigningParts, writeWebhookSecret } from './signing.ts'

export const WEBHOOK_VIEW = { id: true, webhookUrl: true } as const

type Webhook = Prisma.AccountGetPayload<{ select: typeof WEBHOOK_VIEW }>

const PAGE_ROWS = 500

interface Rekeyed {
  readonly rekeyed: number
  readonly current: number
  readonly unreadable: number
}

interface SealedSecret {
  readonly id: string
  readonly accountId: string
  readonly sealed: Uint8Array<ArrayBuffer>
}

/** @throws UNAUTHORIZED, FORBIDDEN */
export async function webhook(ctx: Context, input?: { readonly query?: RowQuery }): Promise<Webhook> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const found = await ctx.db.prisma.account.findUnique({
    where: { id: requireAccount(ctx).accountId },
    select: selectOf(WEBHOOK_VIEW, input?.query),
  })
  if (found === null) throw notFound()
  return found
}

/** Selects the secrets that sign now, newest first. */
export const signingSecretsNow = ({ now }: Pick<Context, 'now'>) => ({
  where: { OR: [{ expiresAt: null }, { expiresAt: { gt: now() } }] },
  orderBy: { id: 'desc' as const },
})

/**
 * Sets the account's default webhook URL. Only an explicit null clears it, so a forgotten variable cannot. Existing deliveries keep
 * their URL.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function setWebhookUrl(
  ctx: Context,
  input: { readonly url?: string | null | undefined; readonly query?: RowQuery },
): ReturnType<typeof webhook> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { url } = input
  if (url === undefined)
    throw invalidRequest('Send a URL, or null to clear it.', [{ path: '/url', message: 'is missing' }])
  const message = url === null ? null : checkWebhookUrl(url, ctx.settings.egressAllow)
  if (message !== null) throw invalidRequest(`The URL ${message}.`, [{ path: '/url', message }])
  await ctx.db.prisma.$transaction(async (tx) => {
    await tx.account.update({ where: { id: accountId }, data: { webhookUrl: url }, select: { id: true } })
    // The path may contain a receiver's secret.
    const detail = url === null ? null : new URL(url).origin
    await recordChange(sqlIn(tx), ctx.actor, { action: 'webhook_url_set', accountId, detail })
  })
  return webhook(ctx, input)
}

/**
 * Issues a signing secret and returns it once. The previous one signs for 24 hours more; older ones are erased.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function rotateWebhookSecret(ctx: Context & SigningParts): Promise<string> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const secret = newWebhookSecret()
  const sealed = ctx.vault.seal(accountId, secret)
  await ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'account', accountId)
    await tx.webhookSecret.deleteMany({ where: { accountId, expiresAt: { not: null } } })
    const expiresAt = new Date(ctx.now().getTime() + OVERLAP_MS)
    await tx.webhookSecret.updateMany({ where: { accountId }, data: { expiresAt } })
    await tx.webhookSecret.create({
      data: { accountId, sealed, publicId: newId('secret', ctx.now()) },
      select: { id: true },
    })
    await recordChange(sqlIn(tx), ctx.actor, { action: 'webhook_secret_rotated', accountId })
  })
  return writeWebhookSecret(secret)
}

/**
 * Erases the older of two signing secrets.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for other accounts' secrets), INVALID_REQUEST for the newest
 */
export async function expireWebhookSecret(ctx: Context, input: { readonly id: string }): Promise<void> {
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  const { accountId } = requireAccount(ctx)
  const secret = wherePublicId('secret', input.id)
  if (secret === null) throw unknownId('signing secret')
  const isStopped = await ctx.db.prisma.$transaction(async (tx) => {
    const { count } = await tx.webhookSecret.deleteMany({ where: { ...secret, accountId, expiresAt: { not: null } } })
    if (count === 1) await recordChange(sqlIn(tx), ctx.actor, { action: 'webhook_secret_expired', accountId })
    return count === 1
  })
  if (isStopped) return
  const known = await ctx.db.prisma.webhookSecret.findFirst({ where: { ...secret, accountId }, select: { id: true } })
  if (known === null) throw unknownId('signing secret')
  const details = [{ path: '/id', message: 'is the newest secret' }]
  throw invalidRequest('Rotate the secret first: the newest one has to sign.', details)
}

/**
 * Seals secrets under SECRET_KEY instead of OLD_SECRET_KEY. Each one commits alone, so an interrupted run can resume.
 * @throws INVALID_REQUEST without an OLD_SECRET_KEY
 */
export async function rekeyWebhookSecrets(ctx: Context & SigningParts): Promise<Rekeyed> {
  requireSystem(ctx)
  if (ctx.settings.oldSecretKey === null) {
    throw invalidRequest('Set OLD_SECRET_KEY or OLD_SECRET_KEY_FILE to what SECRET_KEY was before.')
  }
  const total = { rekeyed: 0, current: 0, unreadable: 0 }
  for await (const secret of allSecrets(ctx.db)) total[await rekey(ctx, secret)]++
  return total
}

const SECRETS = `
  select id, account_id as "accountId", sealed from webhook_secret where id > $1 order by id limit ${PAGE_ROWS}`

/** Oldest first. SQL, because Prisma's first query takes a command 0.1 s. */
export async function* allSecrets({ pool }: Pick<Context['db'], 'pool'>): AsyncGenerator<SealedSecret> {
  for (let after = '0'; ; ) {
    const { rows: page } = await pool.query<SealedSecret>(SECRETS, [after])
    yield* page
    if (page.length < PAGE_ROWS) return
    after = page.at(-1)!.id
  }
}

async function rekey(ctx: Context & SigningParts, { id, accountId, sealed }: SealedSecret): Promise<keyof Rekeyed> {
  if (ctx.vault.isCurrent(accountId, sealed)) return 'current'
  if (!ctx.vault.opens(accountId, sealed)) return 'unreadable'
  const resealed = ctx.vault.seal(accountId, ctx.vault.open(accountId, sealed))
  // The update repeats the bytes read, so a secret changed meanwhile stays.
  const { count } = await ctx.db.prisma.webhookSecret.updateMany({
    where: { id: BigInt(id), sealed },
    data: { sealed: resealed },
  })
  return count === 1 ? 'rekeyed' : 'current'
}
