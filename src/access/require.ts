import { forbidden, ServiceError, unauthorized } from '../errors/service-error.ts'
import type { AccountHolder, Actor, SessionActor } from './actor.ts'
import { ACCOUNT_ADMIN_SCOPE, OPERATOR_SCOPE } from './scopes.ts'

interface Acting {
  readonly actor: Actor
}

interface Timed extends Acting {
  now(): Date
}

export const CONFIRMATION_MS = 15 * 60_000

/** @throws UNAUTHORIZED without a key, FORBIDDEN if the key lacks the scope */
export function requireScope(ctx: Acting, scope: string): void {
  if (ctx.actor.kind === 'anonymous') throw unauthorized()
  if ('scopes' in ctx.actor && !ctx.actor.scopes.includes(scope)) throw forbidden(scope)
}

/** @throws UNAUTHORIZED without an account */
export function requireAccount(ctx: Acting): AccountHolder {
  if (ctx.actor.kind === 'anonymous' || ctx.actor.kind === 'system') throw unauthorized()
  return ctx.actor
}

/** @throws UNAUTHORIZED unless a user is signed in */
export function requireSession(ctx: Acting): SessionActor {
  if (ctx.actor.kind !== 'session') throw new ServiceError('UNAUTHORIZED', 'Sign in first.')
  return ctx.actor
}

export const holdsScope = ({ actor }: Acting, scope: string): boolean =>
  'scopes' in actor && actor.scopes.includes(scope)

export const isOperator = (ctx: Acting): boolean => ctx.actor.kind === 'system' || holdsScope(ctx, OPERATOR_SCOPE)

/** True if the caller acts for this account and holds the scope. The command line needs no scopes. */
export const holdsIn = ({ actor }: Acting, accountId: string, scope: string): boolean =>
  'accountId' in actor && actor.accountId === accountId && (!('scopes' in actor) || actor.scopes.includes(scope))

/** True if the caller may list what owners list of this account: its keys, users and ledger. */
export const administers = (ctx: Acting, accountId: string): boolean =>
  isOperator(ctx) || holdsIn(ctx, accountId, ACCOUNT_ADMIN_SCOPE)

/** @throws UNAUTHORIZED, FORBIDDEN */
export function requireOperator(ctx: Acting): void {
  requireScope(ctx, OPERATOR_SCOPE)
  if (ctx.actor.kind === 'account') throw forbidden(OPERATOR_SCOPE)
}

/**
 * A session needs a recent password; a key does not, because no browser holds one.
 * @throws UNAUTHORIZED, FORBIDDEN, REAUTHENTICATION_REQUIRED
 */
export function requireConfirmedOperator(ctx: Timed): void {
  requireOperator(ctx)
  requireConfirmation(ctx)
}

/** @throws REAUTHENTICATION_REQUIRED */
export function requireConfirmation({ actor, now }: Timed): void {
  if (actor.kind !== 'session') return
  if (actor.passwordAt === null || now().getTime() - actor.passwordAt.getTime() > CONFIRMATION_MS)
    throw new ServiceError('REAUTHENTICATION_REQUIRED', 'Give your password again, with reauthenticate.')
}

/** @throws FORBIDDEN to every caller but the command line */
export function requireSystem(ctx: Acting): void {
  if (ctx.actor.kind !== 'system') throw forbidden(OPERATOR_SCOPE)
}
