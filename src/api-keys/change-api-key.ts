import { DEFAULT_SCOPES, OPERATOR_SCOPE } from '../access/scopes.ts'
import { checkName, findAccount } from '../accounts/accounts.ts'
import { checkMonthlyLimit } from '../accounts/monthly-usage.ts'
import { checkMaxRunning, limitsInWords } from '../accounts/running-jobs.ts'
import { recordChange } from '../audit/record-change.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { sqlIn } from '../db/sql.ts'
import { forbidden, invalidRequest } from '../errors/service-error.ts'
import { newId } from '../values/id.ts'
import { hashApiKey, newApiKey } from './api-key.ts'
import { type ApiKeyView, grantScopes, KEY_VIEW, keysOwner, unknownKey } from './api-keys.ts'

/** They are of the checksum, so some 190 of the key's 214 bits stay unknown. */
const HINT_CHARACTERS = 4

export interface ApiKeyChange {
  readonly apiKeyId: string
  readonly name?: string | null | undefined
  readonly scopes?: readonly string[] | null | undefined
  /** Credits of a calendar month in UTC; null: no limit. */
  readonly monthlyLimit?: number | null | undefined
  /** Jobs in status processing at once; null: no limit. */
  readonly maxRunning?: number | null | undefined
  readonly query?: RowQuery
}

export interface NewApiKey {
  readonly apiKeyId: string
  readonly apiKey: string
  readonly scopes: readonly string[]
}

export interface ApiKeyInput {
  readonly account?: string | null | undefined
  readonly name: string
  readonly scopes?: readonly string[] | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly monthlyLimit?: number | null | undefined
  readonly maxRunning?: number | null | undefined
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for keys of other accounts), INVALID_REQUEST */
export async function updateApiKey(ctx: Context, input: ApiKeyChange): Promise<ApiKeyView> {
  const { apiKeyId, name, scopes, query } = input
  const accountId = keysOwner(ctx)
  if (name !== undefined && name !== null) checkName(name)
  const monthlyLimit = checkMonthlyLimit(input.monthlyLimit)
  const maxRunning = checkMaxRunning(input.maxRunning)
  const where = { id: apiKeyId, ...(accountId !== null && { accountId }) }
  const held = apiKeyId.includes('\0')
    ? null
    : await ctx.db.prisma.apiKey.findFirst({ where, select: { scopes: true, accountId: true } })
  if (held === null) throw unknownKey(apiKeyId)
  const data = {
    ...(name !== undefined && name !== null && { name }),
    ...(scopes !== undefined && scopes !== null && { scopes: grantScopes(ctx, scopes, held.scopes) }),
    ...(monthlyLimit !== undefined && { monthlyLimit }),
    ...(maxRunning !== undefined && { maxRunning }),
  }
  const key = await ctx.db.prisma.$transaction(async (tx) => {
    const { count } = await tx.apiKey.updateMany({ where, data })
    if (count === 0) throw unknownKey(apiKeyId)
    const updated = await tx.apiKey.findUniqueOrThrow({ where: { id: apiKeyId }, select: selectOf(KEY_VIEW, query) })
    const change = { accountId: held.accountId, subjectId: apiKeyId, subjectName: updated.name }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'key_updated', ...change, detail: detailOf(updated) })
    return updated
  })
  if (maxRunning !== undefined) await ctx.queue.wakeAll(ctx.db)
  return key
}

/**
 * Revokes a key; its connections close within a second.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND (also for keys of other accounts)
 */
export async function deleteApiKey(
  ctx: Context,
  input: { readonly apiKeyId: string },
): Promise<{ readonly apiKeyId: string }> {
  const accountId = keysOwner(ctx)
  if (input.apiKeyId.includes('\0')) throw unknownKey('')
  const where = { id: input.apiKeyId, ...(accountId !== null && { accountId }) }
  await ctx.db.prisma.$transaction(async (tx) => {
    const key = await tx.apiKey.findFirst({ where, select: { accountId: true, name: true } })
    // The calling key may be this one, so it is recorded before it is deleted.
    if (key !== null) {
      const change = { accountId: key.accountId, subjectId: input.apiKeyId, subjectName: key.name }
      await recordChange(sqlIn(tx), ctx.actor, { action: 'key_deleted', ...change })
    }
    const { count } = await tx.apiKey.deleteMany({ where })
    if (count === 0) throw unknownKey(input.apiKeyId)
  })
  return { apiKeyId: input.apiKeyId }
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account, INVALID_REQUEST for a bad name, scope or end */
export async function createApiKey(ctx: Context, input: ApiKeyInput): Promise<NewApiKey> {
  const accountId = keysOwner(ctx) ?? (await findAccount(ctx, input.account ?? '')).id
  if (ctx.actor.kind !== 'system' && input.account && input.account !== accountId) throw forbidden(OPERATOR_SCOPE)
  checkName(input.name)
  rejectPast(ctx, input.expiresAt)
  const monthlyLimit = checkMonthlyLimit(input.monthlyLimit) ?? null
  const maxRunning = checkMaxRunning(input.maxRunning) ?? null
  const scopes = grantScopes(ctx, input.scopes ?? DEFAULT_SCOPES)
  const apiKey = newApiKey(ctx.settings.cell)
  const row = {
    id: newId('key', ctx.now()),
    accountId,
    name: input.name,
    hash: Uint8Array.from(hashApiKey(apiKey)),
    scopes,
    hint: apiKey.slice(-HINT_CHARACTERS),
    expiresAt: input.expiresAt ?? null,
    monthlyLimit,
    maxRunning,
    createdById: ctx.actor.kind === 'session' ? ctx.actor.userId : null,
  }
  await ctx.db.prisma.$transaction(async (tx) => {
    await tx.apiKey.create({ data: row, select: { id: true } })
    const key = { accountId, subjectId: row.id, subjectName: row.name, detail: detailOf(row) }
    await recordChange(sqlIn(tx), ctx.actor, { action: 'key_created', ...key })
  })
  return { apiKeyId: row.id, apiKey, scopes }
}

const detailOf = ({ scopes, ...limits }: Pick<ApiKeyView, 'scopes' | 'monthlyLimit' | 'maxRunning'>): string =>
  [scopes.join(' '), ...limitsInWords(limits)].join(', ')

function rejectPast({ now }: Context, expiresAt: Date | null | undefined): void {
  if (expiresAt != null && expiresAt.getTime() <= now().getTime())
    throw invalidRequest('Let the key expire in the future.', [
      { path: '/expiresAt', message: 'must be in the future' },
    ])
}
