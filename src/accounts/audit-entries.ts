import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { isOperator, requireOperator } from '../access/require.ts'
import type { AuditedAction } from '../audit/audited-actions.ts'
import type { Context } from '../context/context.ts'
import { closeWindow } from '../db/close-window.ts'
import { countRows, idsOfWindow, orderOfAccount, ownIds, whereOfAccount } from '../db/own/own-rows.ts'
import {
  type Connection,
  idQuery,
  numberedPage,
  type PageInput,
  pageShape,
  publicIdOf,
  toConnection,
  wherePublicId,
  wherePublicIds,
} from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { whoseAccount } from './accounts.ts'

export const AUDIT_VIEW = {
  ...{ id: true, publicId: true, action: true, accountId: true, subjectId: true, subjectName: true, detail: true },
  ...{ actorKind: true, actorId: true, actorAccountId: true, actorName: true, createdAt: true },
} as const

export type AuditEntry = Prisma.AuditEntryGetPayload<{ select: typeof AUDIT_VIEW }>

export interface AuditEntriesInput extends PageInput {
  readonly account?: string | null | undefined
  /** For the operator alone, and not with an account. */
  readonly all?: boolean | null | undefined
  readonly actions?: readonly AuditedAction[] | null | undefined
  /** From inclusive, to exclusive. */
  readonly createdAt?:
    | { readonly from?: Date | null | undefined; readonly to?: Date | null | undefined }
    | null
    | undefined
  readonly query?: RowQuery
}

export interface ActorView {
  readonly kind: 'key' | 'user' | 'operator'
  /** Identifies this one entry, because a caller may be renamed later. */
  readonly of: string
  /** null if this account may not see it */
  readonly callerId: string | null
  readonly name: string | null
}

/** @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, RATE_LIMITED if the account's reads take too long */
export async function auditEntries(ctx: Context, asked: AuditEntriesInput): Promise<Connection<AuditEntry>> {
  const owner = await ownerOf(ctx, asked)
  const shape = pageShape(asked, (text) => wherePublicId('audit', text) !== null)
  const where = narrowed(asked)
  const input = await numberedPage(
    asked,
    async (text) => (await findRows(ctx, [text], owner ?? undefined))[0]?.id ?? null,
  )
  await closeWindow(ctx, 'audit_entry', input.createdAt?.to)
  const { id, orderBy, take } = idQuery(input, shape, 'newest', BigInt)
  const narrowing = { table: 'audit_entry', column: 'action', values: input.actions, ...input } as const
  const ids = await (owner === null
    ? idsOfWindow(ctx.db, 'operator', narrowing, input, shape)
    : ownIds(ctx.db, owner, narrowing, input, shape))
  const rows = await ctx.db.prisma.auditEntry.findMany({
    where: { ...(owner !== null && whereOfAccount(owner)), ...(ids === null ? { id, ...where } : { id: { in: ids } }) },
    orderBy: owner === null ? [...(ids === null ? [] : [{ createdAt: orderBy.id }]), orderBy] : orderOfAccount(orderBy),
    take,
    select: selectOf(AUDIT_VIEW, asked.query),
  })
  const count = () => countRows(ctx.db, owner ?? 'operator', owner, narrowing)
  return toConnection(rows, shape, input, { cursorOf: auditId, nodeOf: (entry) => entry, count })
}

/** The entries that the caller may see. @throws UNAUTHORIZED, FORBIDDEN */
export async function findAuditEntries(ctx: Context, ids: readonly string[], query?: RowQuery): Promise<AuditEntry[]> {
  const accountId = isOperator(ctx) ? undefined : await whoseAccount(ctx, null)
  return findRows(ctx, ids, accountId, query)
}

async function findRows({ db }: Context, ids: readonly string[], accountId: string | undefined, query?: RowQuery) {
  const where = wherePublicIds('audit', ids)
  if (where.length === 0) return []
  const ofAccount = accountId !== undefined && { accountId }
  return db.prisma.auditEntry.findMany({ where: { OR: where, ...ofAccount }, select: selectOf(AUDIT_VIEW, query) })
}

async function ownerOf(ctx: Context, { account, all }: AuditEntriesInput): Promise<string | null> {
  if (all !== true) return whoseAccount(ctx, account)
  requireOperator(ctx)
  if (account == null) return null
  const details = [{ path: '/all', message: 'must be false with an account' }]
  throw invalidRequest('Ask for one account or for all.', details)
}

function narrowed({ actions, createdAt }: AuditEntriesInput) {
  const [from, to] = [createdAt?.from ?? undefined, createdAt?.to ?? undefined]
  const details = [
    ...(actions?.length === 0 ? [{ path: '/actions', message: 'must name at least one' }] : []),
    ...(from && to && from > to ? [{ path: '/createdAt', message: 'must not begin after its end' }] : []),
  ]
  if (details.length > 0) throw invalidRequest('Invalid arguments: see `details`.', details)
  return actions == null ? {} : { action: { in: [...actions] } }
}

/** An account never sees another's keys and users: it sees the operator instead. */
export function auditActor(ctx: Context, entry: AuditEntry): ActorView {
  const { actorKind, actorAccountId, accountId } = entry
  const isNamed = actorKind !== 'operator' && (actorAccountId === accountId || isOperator(ctx))
  return isNamed
    ? { kind: actorKind as 'key' | 'user', of: auditId(entry), callerId: entry.actorId, name: entry.actorName }
    : { kind: 'operator', of: auditId(entry), callerId: null, name: null }
}

export const auditId = (entry: AuditEntry): string => publicIdOf('audit', entry)
