import { requireOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { ACCOUNT_VIEW, type Account } from './account-view.ts'

const MAX_SEARCH_CHARACTERS = 200

export interface AccountsInput extends PageInput {
  readonly search?: string | null | undefined
  readonly query?: RowQuery
}

/** Lists all accounts, oldest first, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export async function accounts(ctx: Context, input: AccountsInput): Promise<Connection<Account>> {
  requireOperator(ctx)
  const shape = pageShape(input, (text) => isId('acct', text))
  const { id, ...rest } = idQuery(input, shape, 'oldest', String)
  const where = { AND: [{ id }, searched(input.search ?? '')] }
  const rows = await ctx.db.prisma.account.findMany({ where, ...rest, select: selectOf(ACCOUNT_VIEW, input.query) })
  return toConnection(rows, shape, input, { cursorOf: (row) => row.id, nodeOf: (row) => row })
}

/** Prisma passes the wildcards of LIKE on, so they are escaped. */
function searched(search: string) {
  if (search === '') return {}
  if ([...search].length > MAX_SEARCH_CHARACTERS) {
    const details = [{ path: '/search', message: `must have at most ${MAX_SEARCH_CHARACTERS} characters` }]
    throw invalidRequest('Invalid arguments: see `details`.', details)
  }
  const literal = search.replace(/[\\%_]/g, '\\$&')
  return { OR: [{ name: { contains: literal, mode: 'insensitive' as const } }, { id: { startsWith: literal } }] }
}

/** The caller authorises. */
export async function loadAccounts({ db }: Pick<Context, 'db'>, ids: readonly string[]): Promise<Map<string, Account>> {
  const rows = await db.prisma.account.findMany({ where: { id: { in: [...ids] } }, select: ACCOUNT_VIEW })
  return new Map(rows.map((row) => [row.id, row]))
}
