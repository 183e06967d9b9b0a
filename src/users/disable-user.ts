import { type Context, requireSystem } from '../context.ts'
import { inTransaction } from '../db/database.ts'
import { ServiceError } from '../errors.ts'
import { normalEmail, type User, type UserRole } from './user.ts'

interface Row {
  id: string
  account_id: string
  email: string
  role: UserRole
  created_at: Date
  disabled_at: Date | null
}

export interface UserStanding {
  /** Id or e-mail address. */
  readonly user: string
  readonly disabled: boolean
}

/**
 * Keeps a person from signing in, and ends all of their sessions: what they hold open is closed within a second. Or lets them in again.
 * Both are as they are when asked twice.
 * @throws NOT_FOUND
 */
export async function disableUser(ctx: Context, { user, disabled }: UserStanding): Promise<User> {
  requireSystem(ctx)
  return inTransaction(ctx.db, async (tx) => {
    const { rows } = await tx.query<Row>(
      `update "user" set disabled_at = case when $3 then coalesce(disabled_at, $4) end
       where id = $1 or email = $2 returning id, account_id, email, role, created_at, disabled_at`,
      [user, normalEmail(user), disabled, ctx.now()],
    )
    const [row] = rows
    if (row === undefined)
      throw new ServiceError('NOT_FOUND', `Check the user: there is none with the id or e-mail address "${user}".`)
    if (disabled) await tx.query('delete from session where user_id = $1', [row.id])
    const { id, email, role } = row
    return { id, email, role, accountId: row.account_id, createdAt: row.created_at, disabledAt: row.disabled_at }
  })
}
