import { requireOperator } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { type Connection, idQuery, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { isId } from '../values/id.ts'
import { ACCOUNT_VIEW, type Account } from './account-view.ts'

/** All accounts, oldest first, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export async function accounts(ctx: Context, input: PageInput): Promise<Connection<Account>> {
  requireOperator(ctx)
  const shape = pageShape(input, (text) => isId('acct', text))
  const { id, ...rest } = idQuery(input, shape, 'oldest', String)
  const rows = await ctx.db.prisma.account.findMany({ where: { id }, ...rest, select: ACCOUNT_VIEW })
  return toConnection(rows, shape, input, { cursorOf: (row) => row.id, nodeOf: (row) => row })
}
