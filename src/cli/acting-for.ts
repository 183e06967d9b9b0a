import type { AccountActor } from '../access/actor.ts'
import type { ServiceContext } from '../runtime/services.ts'

/** The operator's context as an account's own, by its id or name, or as the oldest one's: for verbs that need one. @throws NOT_FOUND */
export async function actingFor(
  ctx: ServiceContext,
  account: string | null,
): Promise<ServiceContext & { readonly actor: AccountActor }> {
  const { findAccount } = await import('../accounts/find-account.ts')
  const { id, credits } = await findAccount(ctx, account)
  return { ...ctx, actor: { kind: 'account', accountId: id, credits } }
}
