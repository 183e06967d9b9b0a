import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, OPERATOR_SCOPE, SCOPE_FORM, SCOPE_MEANINGS, scopesOf } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'

/**
 * @returns the account whose keys the caller manages; null: any
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export function keysOwner(ctx: Context): string | null {
  if (ctx.actor.kind === 'system') return null
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  return requireAccount(ctx).accountId
}

export interface GrantableScope {
  readonly name: string
  readonly description: string
}

/** @throws UNAUTHORIZED, FORBIDDEN */
export async function grantableScopes(ctx: Context): Promise<GrantableScope[]> {
  keysOwner(ctx)
  return [...withOwners(ctx)].map((name) => ({ name, description: SCOPE_MEANINGS[name] ?? RESTRICTED }))
}

function withOwners(ctx: Context): Set<string> {
  const own = 'scopes' in ctx.actor ? ctx.actor.scopes : []
  return new Set([...scopesOf('owner'), ...own.filter((scope) => mayPass(ctx, scope))])
}

const RESTRICTED = 'Reach the endpoints that ask for it.'

const mayPass = ({ actor }: Context, scope: string): boolean => actor.kind !== 'session' || scope !== OPERATOR_SCOPE

/**
 * An account grants only the scopes that its owners, the caller or the key hold, so nobody becomes an operator by making a key.
 * @throws INVALID_REQUEST, FORBIDDEN
 */
export function grantScopes(ctx: Context, wanted: readonly string[], held: readonly string[] = []): string[] {
  const scopes = [...new Set(wanted)]
  const wrong = scopes.find((scope) => !SCOPE_FORM.test(scope))
  if (wrong !== undefined) {
    const details = [{ path: `/scopes/${wanted.indexOf(wrong)}`, message: 'is no scope' }]
    throw invalidRequest(`Write scopes like generate:voice: "${wrong}" is not one.`, details)
  }
  if (ctx.actor.kind === 'system') return scopes
  const grantable = new Set([...withOwners(ctx), ...held])
  const beyond = scopes.find((scope) => !grantable.has(scope))
  if (beyond !== undefined) throw new ServiceError('FORBIDDEN', `Ask the operator for the scope ${beyond}.`)
  return scopes
}
