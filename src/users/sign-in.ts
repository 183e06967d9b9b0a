import { createHash } from 'node:crypto'
import { CONFIRMATION_MS, requireSession } from '../access/require.ts'
import { Semaphore } from '../concurrency/semaphore.ts'
import { WindowCounter } from '../concurrency/window-counter.ts'
import type { Context } from '../context/context.ts'
import { lockRow } from '../db/lock-row.ts'
import { networkOf, siteOf } from '../egress/ip-ranges.ts'
import { accountDisabled, invalidRequest, notFound, ServiceError } from '../errors/service-error.ts'
import { verifyPassword } from './password.ts'
import { endSessions, type OpenedSession, openSession } from './sessions.ts'
import { normalEmail, type User } from './users.ts'

const WINDOW_MS = 900_000
const MAX_FAILURES_FROM_ADDRESS = 50
const MAX_FAILURES_FROM_SITE = 500
const MAX_FAILURES = 5
/** Far more than from one address, so one address cannot lock a user out. */
const MAX_FAILURES_OF_USER = 100
const MAX_KEYS = 20_000
/** Each takes a thread and 19 MiB. */
const MAX_AT_ONCE = 2
const MAX_WAITING = 50
/** A check that has begun is counted even if its caller leaves. */
const NEVER = new AbortController().signal

const MAX_NAME_CHARACTERS = 254

export interface SignedIn extends OpenedSession {
  readonly user: User
}

interface PasswordAgain {
  readonly password: string
  readonly address: string
}

export interface Reauthentication {
  readonly until: Date
}

/**
 * Opens a session. A wrong password, an unknown address and a disabled user give the same error after the same work.
 * @throws UNAUTHORIZED, FORBIDDEN if the account is disabled, RATE_LIMITED after a few wrong passwords
 */
export async function signIn(
  ctx: SignInContext,
  input: { readonly email: string; readonly password: string; readonly address: string },
): Promise<SignedIn> {
  const email = normalEmail(input.email)
  const counted = email ?? `too long: ${shortened(input.email)}`
  const work = () => verifiedUser(ctx, email ?? UNKNOWN_EMAIL, input.password)
  const found = await ctx.signIns.attempt(counted, input.address, work)
  if (found === false) throw wrongPassword()
  const { passwordHash, ...user } = found
  return { user, ...(await openUnlessChanged(ctx, user.id, passwordHash)) }
}

/** The transaction checks again, because the user may have been disabled or have changed the password meanwhile. */
const openUnlessChanged = (ctx: Context, userId: string, passwordHash: string | null): Promise<OpenedSession> =>
  ctx.db.prisma.$transaction(async (tx) => {
    await lockRow(tx, 'user', userId)
    const where = { id: userId, passwordHash, disabledAt: null }
    const user = await tx.user.findFirst({ where, select: { account: { select: { disabledAt: true } } } })
    if (user === null) throw wrongPassword()
    if (user.account.disabledAt !== null) throw accountDisabled()
    const now = ctx.now()
    return openSession(tx, userId, now, now)
  })

const MAX_ACCOUNTS = 3

const UNKNOWN_EMAIL = ''

/** Each attempt verifies equally many passwords, so its duration tells nothing about other accounts. */
async function verifiedUser(ctx: Context, email: string, password: string) {
  const users = await findUsers(ctx, email)
  let found: (typeof users)[number] | undefined
  for (let at = 0; at < MAX_ACCOUNTS; at++)
    if (await verifyPassword(password, users[at]?.passwordHash ?? null)) found ??= users[at]
  return found ?? false
}

/** Those of enabled accounts come before others, then the oldest, so nobody is kept out by users that others add. */
const findUsers = async (ctx: Context, email: string) =>
  email.includes('\0')
    ? []
    : ctx.db.prisma.user.findMany({
        where: { email, disabledAt: null, passwordHash: { not: null } },
        orderBy: [{ account: { disabledAt: { sort: 'asc', nulls: 'first' } } }, { id: 'asc' }],
        take: MAX_ACCOUNTS,
      })

const wrongPassword = () => new ServiceError('UNAUTHORIZED', 'Check the e-mail address and the password.')

/** @throws UNAUTHORIZED unless signed in */
export async function signOut(
  ctx: Context,
  input: { readonly everywhere: boolean },
): Promise<{ readonly sessions: number }> {
  const { sessionId, userId } = requireSession(ctx)
  const { prisma } = ctx.db
  if (input.everywhere) return { sessions: await prisma.$transaction((tx) => endSessions(tx, userId)) }
  const { count } = await prisma.session.deleteMany({ where: { id: sessionId } })
  return { sessions: count }
}

/**
 * Notes that the caller has given the password in this session.
 * @throws UNAUTHORIZED unless signed in, INVALID_REQUEST for a wrong password or without one, RATE_LIMITED after a few wrong ones
 */
export async function reauthenticate(ctx: SignInContext, input: PasswordAgain): Promise<Reauthentication> {
  const { sessionId, userId } = requireSession(ctx)
  const user = await ctx.db.prisma.user.findUnique({
    where: { id: userId },
    select: { email: true, passwordHash: true },
  })
  if (user === null) throw notFound()
  if (user.passwordHash === null) throw wrong('Set your first password with completePerson: you have none yet.')
  const right = await ctx.signIns.attempt(user.email, input.address, () =>
    verifyPassword(input.password, user.passwordHash),
  )
  if (!right) throw wrong('Send the password that you sign in with.')
  const passwordAt = ctx.now()
  // The update repeats the password that was verified.
  const where = { id: sessionId, user: { passwordHash: user.passwordHash } }
  const { count } = await ctx.db.prisma.session.updateMany({ where, data: { passwordAt } })
  if (count === 0) throw wrong('Send the password that you sign in with.')
  return { until: new Date(passwordAt.getTime() + CONFIRMATION_MS) }
}

const wrong = (message: string) => invalidRequest(message, [{ path: '/password', message: 'is not the password' }])

export const shortened = (name: string): string => `${name.length} ${name.slice(0, MAX_NAME_CHARACTERS)}`

export interface SignInContext extends Context {
  readonly signIns: SignInThrottle
}

export interface SignInThrottle {
  /**
   * @returns false for a wrong password
   * @throws RATE_LIMITED after too many wrong ones
   */
  attempt<Found>(email: string, address: string, work: () => Promise<Found | false>): Promise<Found | false>
  readonly size: number
}

export function openSignInThrottle(): SignInThrottle {
  const open = () => new WindowCounter({ windowMs: WINDOW_MS, maxKeys: MAX_KEYS })
  const [sites, addresses, pairs, users] = [open(), open(), open(), open()]
  const checks = new Semaphore(() => MAX_AT_ONCE)
  return {
    attempt: async (email, address, work) => {
      const [network, site] = [networkOf(address), siteOf(address)]
      const limits = [
        ...(site === network ? [] : [{ counter: sites, key: keyOf(site), max: MAX_FAILURES_FROM_SITE }]),
        { counter: addresses, key: keyOf(network), max: MAX_FAILURES_FROM_ADDRESS },
        { counter: pairs, key: keyOf(network, email), max: MAX_FAILURES },
        { counter: users, key: keyOf(email), max: MAX_FAILURES_OF_USER },
      ]
      for (const limit of limits) rejectOver(limit)
      if (checks.waiting >= MAX_WAITING) throw tooMany(1)
      // A try is counted before its work, so many tries at once are not free; a right one is taken back.
      for (const { counter, key } of limits) counter.add(key)
      const takeBack = () => {
        for (const { counter, key } of limits) counter.takeBack(key)
      }
      const found = await checks.run(NEVER, work).catch((error: unknown) => {
        takeBack()
        throw error
      })
      if (found !== false) {
        takeBack()
        pairs.forget(keyOf(network, email))
      }
      return found
    },
    get size() {
      return sites.size + addresses.size + pairs.size + users.size
    },
  }
}

interface Limit {
  readonly counter: WindowCounter
  readonly key: string
  readonly max: number
}

function rejectOver({ counter, key, max }: Limit): void {
  const { count, msLeft } = counter.get(key)
  if (count >= max) throw tooMany(Math.max(1, Math.ceil(msLeft / 1000)))
}

const keyOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('base64url').slice(0, 22)

const tooMany = (retryAfterSeconds: number) =>
  new ServiceError('RATE_LIMITED', 'Wait before you try to sign in again.', { retryAfterSeconds })
