import { isOperator } from '../access/require.ts'
import { whoseAccount } from '../accounts/whose-account.ts'
import type { Context } from '../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { isId } from '../values/id.ts'
import { USER_VIEW, type User } from './user.ts'

export interface UsersInput extends PageInput {
  readonly account?: string | null | undefined
  readonly query?: RowQuery
}

/** Lists an account's users, oldest first. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST */
export async function users(ctx: Context, input: UsersInput): Promise<Connection<User>> {
  const accountId = await whoseAccount(ctx, input.account)
  const shape = pageShape(input, (text) => isId('user', text))
  const { id, ...rest } = idQuery(input, shape, 'oldest', String)
  const rows = await ctx.db.prisma.user.findMany({
    where: { accountId, id },
    ...rest,
    select: selectOf(USER_VIEW, input.query),
  })
  return toConnection(rows, shape, input, { cursorOf: (row) => row.id, nodeOf: (row) => row })
}

/**
 * Returns null for a user that the caller may not see.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function findUser(ctx: Context, userId: string, query?: RowQuery): Promise<User | null> {
  const self = ctx.actor.kind === 'session' && ctx.actor.userId === userId
  const accountId = self || isOperator(ctx) ? undefined : await whoseAccount(ctx, null)
  if (!isId('user', userId)) return null
  const where = { id: userId, ...(accountId !== undefined && { accountId }) }
  return ctx.db.prisma.user.findFirst({ where, select: selectOf(USER_VIEW, query) })
}

/** Finds addresses of users of the caller's account alone. */
export async function emailsById({ db, actor }: Context, ids: readonly string[]): Promise<Map<string, string>> {
  const where = { id: { in: [...ids] }, accountId: 'accountId' in actor ? actor.accountId : '' }
  const rows = await db.prisma.user.findMany({ where, select: { id: true, email: true } })
  return new Map(rows.map(({ id, email }) => [id, email]))
}

export async function usersWithPassword({ db }: Context, ids: readonly string[]): Promise<Map<string, true>> {
  const found = await db.prisma.user.findMany({
    where: { id: { in: [...ids] }, passwordHash: { not: null } },
    select: { id: true },
  })
  return new Map(found.map(({ id }) => [id, true]))
}
