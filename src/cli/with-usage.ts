import type { ServiceContext } from '../runtime/services.ts'

/** Adds to accounts or keys the credits that they used this month. */
export async function withUsage<Owner extends { readonly id: string }>(
  ctx: ServiceContext,
  owners: readonly Owner[],
): Promise<(Owner & { readonly used: number })[]> {
  const { usedThisMonth } = await import('../accounts/monthly-usage.ts')
  const ids = owners.map(({ id }) => id)
  const used = await usedThisMonth(ctx, ids)
  return owners.map((owner) => ({ ...owner, used: used.get(owner.id) ?? 0 }))
}
