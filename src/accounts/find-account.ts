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
 * The account with this id or this name. Plain SQL: nearly every command asks, and Prisma's first query costs a process more than all
 * the rest of a command does.
 * @param account null: the one that was made first
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

/** @param account null: there is none at all */
export const unknownAccount = (account: string | null) =>
  new ServiceError(
    'NOT_FOUND',
    account === null ? 'There is no account.' : `No account with the id or name "${account}".`,
  )
