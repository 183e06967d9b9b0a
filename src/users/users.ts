import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { administers, isOperator } from '../access/require.ts'
import { whoseAccount } from '../accounts/accounts.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import type { Context } from '../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { hasUnseen } from '../values/printable.ts'

export const ME_VIEW = { id: true, accountId: true } as const

export const USER_VIEW = {
  id: true,
  accountId: true,
  email: true,
  role: true,
  operator: true,
  createdAt: true,
  lastSeenAt: true,
  disabledAt: true,
} as const

const MAX_EMAIL_CHARACTERS = 254
const EMAIL_FORM = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+\.[^\s@\p{Cc}]+$/u

export interface UsersInput extends PageInput {
  readonly account?: string | null | undefined
  readonly query?: RowQuery
}

/** `lastSeenAt` is true within a minute, and null before the first session. */
export type User = Prisma.UserGetPayload<{ select: typeof USER_VIEW }>

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
  const count = () => ctx.db.prisma.user.count({ where: { accountId } })
  return toConnection(rows, shape, input, { cursorOf: (row) => row.id, nodeOf: (row) => row, count })
}

/** Users that the caller may see. A user sees themselves without account:admin. @throws UNAUTHORIZED, FORBIDDEN */
export async function findUsers(ctx: Context, ids: readonly string[], query?: RowQuery): Promise<User[]> {
  const self = ctx.actor.kind === 'session' ? ctx.actor.userId : null
  const isFree = isOperator(ctx) || ids.every((id) => id === self)
  const accountId = isFree ? undefined : await whoseAccount(ctx, null)
  const where = { id: { in: ids.filter((id) => isId('user', id)) }, ...(accountId !== undefined && { accountId }) }
  return ctx.db.prisma.user.findMany({ where, select: selectOf(USER_VIEW, query) })
}

/** The signed-in user; null for a key. */
export async function ownUser(ctx: Context, { query }: { readonly query?: RowQuery }): Promise<User | null> {
  if (ctx.actor.kind !== 'session') return null
  const [found] = await findUsers(ctx, [ctx.actor.userId], query)
  return found ?? null
}

/** Whether `findUser` would show the caller this user. */
export const seesUser = (ctx: Context, { id, accountId }: Pick<User, 'id' | 'accountId'>): boolean =>
  administers(ctx, accountId) || (ctx.actor.kind === 'session' && ctx.actor.userId === id)

/** The same as a condition. */
export function seenUsers(ctx: Context): Prisma.UserWhereInput {
  const { actor } = ctx
  if (isOperator(ctx)) return {}
  if (!('accountId' in actor)) return { id: '' }
  const { accountId } = actor
  if (administers(ctx, accountId)) return { accountId }
  return { accountId, id: actor.kind === 'session' ? actor.userId : '' }
}

/** Those of these users that the caller may see. */
export async function loadUsers(ctx: Context, ids: readonly string[], query?: RowQuery): Promise<Map<string, User>> {
  const where = { id: { in: [...ids] } }
  const rows = await ctx.db.prisma.user.findMany({ where, select: selectOf(USER_VIEW, query) })
  return new Map(rows.filter((row) => seesUser(ctx, row)).map((row) => [row.id, row]))
}

/** The user who has just signed in; the context is still that of the caller before. */
export const readUser = ({ db }: Context, { user }: { readonly user: User }, query: RowQuery): Promise<User> =>
  db.prisma.user.findUniqueOrThrow({ where: { id: user.id }, select: selectOf(USER_VIEW, query) })

/** Finds addresses of users of the caller's account alone, for a whole request together. */
export const emailLoader = new BatchLoader<Context, string>((ctx, ids) =>
  emailsIn(ctx, 'accountId' in ctx.actor ? ctx.actor.accountId : '', ids),
)

/** Addresses of users of an account. The caller authorises. */
export async function emailsIn(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const where = { id: { in: [...ids] }, accountId }
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

/** True if the user signs in at the provider, as long as this service has one. */
export const isFederated = (
  { settings }: Pick<Context, 'settings'>,
  { oidcIssuer }: { readonly oidcIssuer: string | null },
): boolean => settings.oidc !== null && settings.oidc.issuer === oidcIssuer

/** @throws INVALID_REQUEST */
export function rejectFederated(ctx: Context, user: { readonly oidcIssuer: string | null }): void {
  if (isFederated(ctx, user))
    throw invalidRequest(`Sign in through ${ctx.settings.oidc?.name}: this person has no password or link here.`, [
      { path: '/user', message: 'signs in through the provider' },
    ])
}

/** null: users sign in here alone. */
export const signInProvider = async ({ settings }: Context): Promise<{ readonly name: string } | null> =>
  settings.oidc === null ? null : { name: settings.oidc.name }

export async function federatedUsers({ db, settings }: Context, ids: readonly string[]): Promise<Map<string, true>> {
  if (settings.oidc === null) return new Map()
  const where = { id: { in: [...ids] }, oidcIssuer: settings.oidc.issuer }
  const found = await db.prisma.user.findMany({ where, select: { id: true } })
  return new Map(found.map(({ id }) => [id, true]))
}

/** null for a caller without a session */
export async function me(
  { actor, db }: Context,
  { query }: { readonly query?: RowQuery },
): Promise<{ id: string; accountId: string } | null> {
  if (actor.kind !== 'session') return null
  return db.prisma.user.findUnique({ where: { id: actor.userId }, select: selectOf(ME_VIEW, query) })
}

/** RFC 5321. Normalizing a long text takes the square of its length. */
const isTooLong = (text: string): boolean => text.length > MAX_EMAIL_CHARACTERS

/** null if it is longer than any address */
export const normalEmail = (text: string): string | null =>
  isTooLong(text) ? null : text.trim().normalize('NFC').toLowerCase()

/** Prisma's code for a violated unique constraint. */
export const isEmailTaken = (error: unknown): boolean => (error as { code?: unknown }).code === 'P2002'

export const emailTaken = (email: string) =>
  invalidRequest(`Choose another address: "${email}" is taken.`, [{ path: '/email', message: 'is taken' }])

/** @throws INVALID_REQUEST */
export function checkEmail(text: string): string {
  const email = normalEmail(text)
  if (
    email === null ||
    isTooLong(email) ||
    !EMAIL_FORM.test(email) ||
    hasUnseen(email) ||
    /[\u200c\u200d]/.test(email) ||
    !email.isWellFormed()
  )
    throw invalidRequest('Give an e-mail address.', [{ path: '/email', message: 'is no e-mail address' }])
  return email
}
