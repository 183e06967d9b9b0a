import { requireSystem } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { inTransaction } from '../db/database.ts'
import { changeUser, endSessions } from './change-user.ts'
import { checkPassword, hashPassword } from './password.ts'
import type { User } from './user.ts'

interface NewPassword {
  /** Id or e-mail address. */
  readonly user: string
  /** 12 to 256 characters, else INVALID_REQUEST. */
  readonly password: string
}

/**
 * Gives a user who has lost the password another one, and signs them out everywhere. Who is disabled stays so.
 * @throws NOT_FOUND, INVALID_REQUEST for a bad password
 */
export async function setPassword(ctx: Context, { user, password }: NewPassword): Promise<User> {
  requireSystem(ctx)
  checkPassword(password)
  const passwordHash = await hashPassword(password)
  return inTransaction(ctx.db, async (tx) => {
    const changed = await changeUser(tx, user, 'password_hash = $1', [passwordHash])
    await endSessions(tx, changed)
    return changed
  })
}
