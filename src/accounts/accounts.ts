import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { ownerOf } from '../access/actor.ts'
import { holdsIn, holdsScope, isOperator, requireAccount, requireOperator, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { literal, namesLike } from '../db/any-case.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { hasUnseen } from '../values/printable.ts'

const MAX_SEARCH_CHARACTERS = 200
export const ACCOUNT_VIEW = {
  id: true,
  name: true,
  credits: true,
  monthlyLimit: true,
  maxRunning: true,
  createdAt: true,
  disabledAt: true,
} as const
const NAME_MAX_CHARACTERS = 200
const UNIQUE_VIOLATION = 'P2002'
/** Far below PostgreSQL's largest bigint, so sums of balances fit. */
export const MAX_CREDITS = 10n ** 15n
const ACCOUNTS =
  'select id, name, credits, monthly_limit as "monthlyLimit", max_running as "maxRunning", created_at as "createdAt", disabled_at as "disabledAt" from account'

export interface AccountsInput extends PageInput {
  readonly search?: string | null | undefined
  readonly query?: RowQuery
}

export type Account = Prisma.AccountGetPayload<{ select: typeof ACCOUNT_VIEW }>

type AccountRow = Omit<Account, 'credits' | 'monthlyLimit'> & { credits: string; monthlyLimit: string | null }

export interface AccountInput {
  readonly account?: string | null | undefined
  readonly query?: RowQuery
}

/** Lists all accounts, oldest first, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export async function accounts(ctx: Context, input: AccountsInput): Promise<Connection<Account>> {
  requireOperator(ctx)
  const shape = pageShape(input, (text) => isId('acct', text))
  const { id, ...rest } = idQuery(input, shape, 'oldest', String)
  const all = searched(input.search ?? '')
  const where = { AND: [{ id }, all] }
  const rows = await ctx.db.prisma.account.findMany({ where, ...rest, select: selectOf(ACCOUNT_VIEW, input.query) })
  const count = () => ctx.db.prisma.account.count({ where: all })
  return toConnection(rows, shape, input, { cursorOf: (row) => row.id, nodeOf: (row) => row, count })
}

function searched(search: string) {
  if (search === '') return {}
  if ([...search].length > MAX_SEARCH_CHARACTERS) {
    const details = [{ path: '/search', message: `must have at most ${MAX_SEARCH_CHARACTERS} characters` }]
    throw invalidRequest('Invalid arguments: see `details`.', details)
  }
  return { OR: [...namesLike(search), { id: { startsWith: literal(search) } }] }
}

/** True if `account` would show the caller this account. */
export const seesAccount = (ctx: Context, accountId: string): boolean =>
  isOperator(ctx) || [ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE].some((scope) => holdsIn(ctx, accountId, scope))

/** Those of these accounts that the caller may see. */
export async function loadAccounts(
  ctx: Context,
  ids: readonly string[],
  query?: RowQuery,
): Promise<Map<string, Account>> {
  const where = { id: { in: ids.filter((id) => seesAccount(ctx, id)) } }
  const rows = await ctx.db.prisma.account.findMany({ where, select: selectOf(ACCOUNT_VIEW, query) })
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Reads the caller's account and its balance, or for the operator any by id or name.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND for an unknown account
 */
export async function account(ctx: Context, input?: AccountInput): Promise<Account> {
  const { actor } = ctx
  const named = input?.account
  if (named != null && named !== ownerOf(actor)) {
    requireOperator(ctx)
    return readAccount(ctx, named, input?.query)
  }
  return readAccount(ctx, requireOwnAccount(ctx), input?.query)
}

function requireOwnAccount(ctx: Context): string {
  if (!holdsScope(ctx, ACCOUNT_ADMIN_SCOPE)) requireScope(ctx, JOB_READ_SCOPE)
  return requireAccount(ctx).accountId
}

async function readAccount(ctx: Context, named: string, query: RowQuery | undefined): Promise<Account> {
  const where = { OR: [{ id: named }, { name: named }] }
  const found = named.includes('\0')
    ? null
    : await ctx.db.prisma.account.findFirst({ where, select: selectOf(ACCOUNT_VIEW, query) })
  if (found === null) throw unknownAccount(named)
  return found
}

/** Callers name an account by id or name, so a name must not be another account's id. @throws INVALID_REQUEST */
export function checkAccountName(name: string): void {
  if (isId('acct', name)) throw invalidRequest('Choose another name: this one is an account id.')
  checkName(name)
}

/** @throws INVALID_REQUEST if `error` says that another account has the name, else `error` */
export function explainTakenName(error: unknown, name: string): never {
  if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error
  throw invalidRequest(`Choose another name: "${name}" is taken.`, [{ path: '/name', message: 'is taken' }])
}

/** @throws INVALID_REQUEST */
export function checkName(name: string): void {
  if (name.trim() === '' || name.length > NAME_MAX_CHARACTERS || hasUnseen(name) || !name.isWellFormed()) {
    const message = `must have 1 to ${NAME_MAX_CHARACTERS} characters, none of them a control or invisible character`
    throw invalidRequest(
      `Give a name of 1 to ${NAME_MAX_CHARACTERS} characters without control or invisible characters.`,
      [{ path: '/name', message }],
    )
  }
}

/**
 * Finds an account by id or name. SQL, because most commands ask and Prisma's first query costs a process 100 ms.
 * @param account null: the oldest one
 * @throws NOT_FOUND
 */
export async function findAccount(ctx: Pick<Context, 'db'>, account: string | null): Promise<Account> {
  const [which, values] = account === null ? ['order by id', []] : ['where id = $1 or name = $1', [account]]
  const { rows } = account?.includes('\0')
    ? { rows: [] }
    : await ctx.db.pool.query<AccountRow>(`${ACCOUNTS} ${which} limit 1`, values)
  const [found] = rows
  if (found === undefined) throw unknownAccount(account)
  const { credits, monthlyLimit, ...rest } = found
  return { ...rest, credits: BigInt(credits), monthlyLimit: monthlyLimit === null ? null : BigInt(monthlyLimit) }
}

const unknownAccount = (account: string | null) =>
  new ServiceError(
    'NOT_FOUND',
    account === null ? 'There is no account.' : `No account with the id or name "${account}".`,
  )

/** Any account by id or name. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export async function showAccount(ctx: Context, input: { readonly account: string }): Promise<Account> {
  requireOperator(ctx)
  return findAccount(ctx, input.account)
}

/** The operator sees every account, and other callers their own. @throws UNAUTHORIZED, FORBIDDEN */
export async function findVisibleAccounts(ctx: Context, ids: readonly string[], query: RowQuery): Promise<Account[]> {
  const own = ownerOf(ctx.actor)
  if (!isOperator(ctx)) {
    if (ids.some((id) => id !== own)) requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
    requireOwnAccount(ctx)
  }
  const visible = isOperator(ctx) ? [...ids] : ids.filter((id) => id === own)
  return ctx.db.prisma.account.findMany({ where: { id: { in: visible } }, select: selectOf(ACCOUNT_VIEW, query) })
}

/**
 * Returns the id of the caller's account, or of the one that the operator names.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function whoseAccount(ctx: Context, named: string | null | undefined): Promise<string> {
  const isOwn = 'accountId' in ctx.actor && ctx.actor.accountId === named && !isOperator(ctx)
  if (named == null || isOwn) {
    requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
    return requireAccount(ctx).accountId
  }
  requireOperator(ctx)
  return (await findAccount(ctx, named)).id
}
