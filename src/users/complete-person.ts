import { requireSession } from '../access/require.ts'
import type { Context } from '../context/context.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { endSessions } from './end-sessions.ts'
import { checkPassword, hashPassword } from './password.ts'
import { checkEmail, emailTaken, isEmailTaken, USER_VIEW, type User } from './user.ts'

interface Completion {
  readonly email: string
  readonly password: string
  readonly query?: RowQuery
}

/**
 * Gives a caller without a password an address and a password, and ends their other sessions and links.
 * @throws UNAUTHORIZED unless signed in, INVALID_REQUEST for an address in use, a bad password, or a password that is there already
 */
export async function completePerson(ctx: Context, input: Completion): Promise<User> {
  const { sessionId, userId } = requireSession(ctx)
  const email = checkEmail(input.email)
  checkPassword(input.password)
  const where = { id: userId, passwordHash: null }
  if ((await ctx.db.prisma.user.count({ where })) === 0) throw isComplete()
  const passwordHash = await hashPassword(input.password)
  const complete = ctx.db.prisma.$transaction(async (tx) => {
    const [user] = await tx.user.updateManyAndReturn({
      where,
      data: { email, passwordHash },
      select: selectOf(USER_VIEW, input.query),
    })
    if (user === undefined) throw isComplete()
    await endSessions(tx, userId, sessionId)
    await tx.session.updateMany({ where: { id: sessionId }, data: { passwordAt: ctx.now() } })
    return user
  })
  return complete.catch((error: unknown) => {
    throw isEmailTaken(error) ? emailTaken(email) : error
  })
}

const isComplete = () =>
  invalidRequest('Change your password with changePassword: you have one already.', [
    { path: '/password', message: 'is there already' },
  ])
