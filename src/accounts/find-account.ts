import type { Context } from '../context/context.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Account } from './account-view.ts'

interface Row {
  id: string
  name: string
  credits: string
  createdAt: Date
}

/**
 * The account with this id or this name. Plain SQL: nearly every command asks, and Prisma's first query costs a process more than all
 * the rest of a command does.
 * @throws NOT_FOUND
 */
export async function findAccount(ctx: Pick<Context, 'db'>, account: string): Promise<Account> {
  const { rows } = account.includes('\0')
    ? { rows: [] }
    : await ctx.db.pool.query<Row>(
        'select id, name, credits, created_at as "createdAt" from account where id = $1 or name = $1 limit 1',
        [account],
      )
  const [found] = rows
  if (found === undefined) throw new ServiceError('NOT_FOUND', `No account with the id or name "${account}".`)
  return { ...found, credits: BigInt(found.credits) }
}
