import { requireSystem } from '../access/require.ts'
import type { UserRole } from '../access/scopes.ts'
import { findAccount } from '../accounts/find-account.ts'
import { recordUserChange } from '../audit/record-user-change.ts'
import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { newId } from '../values/id.ts'
import { checkPassword, hashPassword } from './password.ts'
import { checkEmail, emailTaken, USER_VIEW, type User } from './user.ts'

interface NewUser {
  readonly account: string
  readonly email: string
  /** Absent: the user first signs in by a link. */
  readonly password?: string | undefined
  readonly role: UserRole
}

/** @throws NOT_FOUND for an unknown account, INVALID_REQUEST for an address of the same account or a bad password */
export async function createUser(ctx: Context, input: NewUser): Promise<User> {
  requireSystem(ctx)
  const email = checkEmail(input.email)
  if (input.password !== undefined) checkPassword(input.password)
  const { id: accountId } = await findAccount(ctx, input.account)
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password)
  const row = { accountId, email, role: input.role, passwordHash }
  return ctx.db.prisma.$transaction((tx) => addUser(tx, ctx, row))
}

type NewRow = Pick<User, 'accountId' | 'email' | 'role'> & { readonly passwordHash: string | null }

/** @throws INVALID_REQUEST for an address of the same account */
export async function addUser(tx: PrismaTx, ctx: Pick<Context, 'actor' | 'now'>, row: NewRow): Promise<User> {
  const data = { id: newId('user', ctx.now()), ...row }
  const [created] = await tx.user.createManyAndReturn({ data, skipDuplicates: true, select: USER_VIEW })
  if (created === undefined) throw emailTaken(row.email)
  await recordUserChange(tx, ctx, 'user_added', created, row.role)
  return created
}
