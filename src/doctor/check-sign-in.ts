import { findAccount } from '../accounts/accounts.ts'
import type { Context } from '../context/context.ts'
import { discover } from '../oidc/provider.ts'
import { type Check, error, orOk } from './finding.ts'

/** Asks the OpenID Connect provider, if one is named. */
export const signInCheck: Check<Context> = {
  check: 'sign-in provider',
  needsSchema: true,
  run: async (ctx) => {
    const { oidc } = ctx.settings
    if (oidc === null) return []
    const found = []
    await discover({ ...oidc, rolesClaim: null }).catch((failure: Error) => {
      found.push(
        error(
          `${oidc.issuer} does not answer as a provider (${failure.message})`,
          'check OIDC_ISSUER, and its network',
        ),
      )
    })
    if (oidc.account !== null && (await findAccount(ctx, oidc.account).catch(() => null)) === null)
      found.push(error(`OIDC_ACCOUNT names no account: ${oidc.account}`, 'name one by its id or name, or make it'))
    return orOk(found, `${oidc.name} answers`)
  },
}
