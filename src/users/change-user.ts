import type { UserRole } from '../access/scopes.ts'
import type { Tx } from '../db/database.ts'
import { ServiceError } from '../errors/service-error.ts'
import { normalEmail, type User } from './user.ts'

interface Row {
  id: string
  account_id: string
  email: string
  role: UserRole
  created_at: Date
  disabled_at: Date | null
}

/**
 * Sets columns of a user, named by id or e-mail address; `$1` and up are the values.
 * @throws NOT_FOUND
 */
export async function changeUser(tx: Tx, user: string, assignment: string, values: readonly unknown[]): Promise<User> {
  const [byId, byEmail] = [values.length + 1, values.length + 2]
  const { rows } = await tx.query<Row>(
    `update "user" set ${assignment}
     where id = $${byId} or email = $${byEmail} returning id, account_id, email, role, created_at, disabled_at`,
    [...values, user, normalEmail(user)],
  )
  const [row] = rows
  if (row === undefined)
    throw new ServiceError('NOT_FOUND', `Check the user: there is none with the id or e-mail address "${user}".`)
  const { id, email, role } = row
  return { id, email, role, accountId: row.account_id, createdAt: row.created_at, disabledAt: row.disabled_at }
}

/** Signs a user out everywhere: what they hold open is closed within a second. */
export async function endSessions(tx: Tx, { id }: Pick<User, 'id'>): Promise<void> {
  await tx.query('delete from session where user_id = $1', [id])
}
