import { type Context, requireSystem } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { CATALOG_CHANNEL } from './catalog-cache.ts'

/** Deletes an endpoint and its voices; jobs that it produced stay. @throws NOT_FOUND */
export async function deleteEndpoint(
  ctx: Context,
  input: { readonly slug: string },
): Promise<{ readonly deleted: string }> {
  requireSystem(ctx)
  const { count } = await ctx.db.prisma.voiceEndpoint.deleteMany({ where: { slug: input.slug } })
  if (count === 0) throw new ServiceError('NOT_FOUND', `Check the slug: there is no endpoint "${input.slug}".`)
  await ctx.catalog.reload()
  await ctx.bus.notify(CATALOG_CHANNEL)
  return { deleted: input.slug }
}
