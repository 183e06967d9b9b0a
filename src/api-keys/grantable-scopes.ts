import { requireAccount, requireScope } from '../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, OPERATOR_SCOPE, SCOPE_FORM, SCOPE_MEANINGS, scopesOf } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'

/**
 * The account whose keys the caller manages: its own, or for the operator at the command line any (null).
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export function keysOwner(ctx: Context): string | null {
  if (ctx.actor.kind === 'system') return null
  requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
  return requireAccount(ctx).accountId
}

/** A scope that the caller may give a key. */
export interface GrantableScope {
  readonly name: string
  readonly description: string
}

/** The scopes that the caller may give a key of its account, each once. @throws UNAUTHORIZED, FORBIDDEN */
export async function grantableScopes(ctx: Context): Promise<GrantableScope[]> {
  keysOwner(ctx)
  return [...withOwners(ctx)].map((name) => ({ name, description: SCOPE_MEANINGS[name] ?? RESTRICTED }))
}

/** What the account's owners may do, and what the caller may besides. */
function withOwners(ctx: Context): Set<string> {
  const own = 'scopes' in ctx.actor ? ctx.actor.scopes : []
  return new Set([...scopesOf('owner'), ...own.filter((scope) => mayPass(ctx, scope))])
}

const RESTRICTED = 'Reach the endpoints that ask for it.'

/** A signed-in operator is asked for the password; a key would not be. */
const mayPass = ({ actor }: Context, scope: string): boolean => actor.kind !== 'session' || scope !== OPERATOR_SCOPE

/**
 * The scopes, each once. An account gives its keys what its owners may do, and what the caller or the key holds already: no caller makes an
 * operator of themselves, nor reaches a restricted endpoint that way.
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
