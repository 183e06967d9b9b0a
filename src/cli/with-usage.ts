import type { ServiceContext } from '../runtime/services.ts'

/** Credits that an owner used this month, and jobs that run now. */
export interface Usage {
  readonly used: number
  readonly running: number
}

/** Adds to accounts or keys what they use. */
export async function withUsage<Owner extends { readonly id: string }>(
  ctx: ServiceContext,
  owners: readonly Owner[],
): Promise<(Owner & Usage)[]> {
  const { usedThisMonth } = await import('../accounts/monthly-usage.ts')
  const { runningNow } = await import('../accounts/running-jobs.ts')
  const ids = owners.map(({ id }) => id)
  const [used, running] = [await usedThisMonth(ctx, ids), await runningNow(ctx, ids)]
  return owners.map((owner) => ({ ...owner, used: used.get(owner.id) ?? 0, running: running.get(owner.id) ?? 0 }))
}
