import type { Context } from '../context/context.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Account } from './account-view.ts'

interface Row {
  id: string
  name: string
  credits: string
  createdAt: Date
}

const ACCOUNTS = 'select id, name, credits, created_at as "createdAt" from account'

/**
 * Finds an account by id or name. SQL, because most commands ask and Prisma's first query costs a process 100 ms.
 * @param account null: the oldest one
 * @throws NOT_FOUND
 */
export async function findAccount(ctx: Pick<Context, 'db'>, account: string | null): Promise<Account> {
  const [which, values] = account === null ? ['order by id', []] : ['where id = $1 or name = $1', [account]]
  const { rows } = account?.includes('\0')
    ? { rows: [] }
    : await ctx.db.pool.query<Row>(`${ACCOUNTS} ${which} limit 1`, values)
  const [found] = rows
  if (found === undefined) throw unknownAccount(account)
  return { ...found, credits: BigInt(found.credits) }
}

export const unknownAccount = (account: string | null) =>
  new ServiceError(
    'NOT_FOUND',
    account === null ? 'There is no account.' : `No account with the id or name "${account}".`,
  )
