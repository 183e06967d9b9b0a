import type { AccountActor } from '../access/actor.ts'
import type { ServiceContext } from '../runtime/services.ts'

/** The operator's context acting for an account, by id or name; null means the oldest. @throws NOT_FOUND */
export async function actingFor(
  ctx: ServiceContext,
  account: string | null,
): Promise<ServiceContext & { readonly actor: AccountActor }> {
  const { findAccount } = await import('../accounts/find-account.ts')
  const { id, credits } = await findAccount(ctx, account)
  return { ...ctx, actor: { kind: 'account', accountId: id, credits } }
}
