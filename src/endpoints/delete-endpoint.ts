import { type Context, requireOperator } from '../context.ts'
import { ServiceError } from '../errors.ts'
import { CATALOG_CHANNEL } from './catalog-cache.ts'

/** Deletes a voice endpoint and its voices, or, where no endpoint has that slug, the workflow that has it; jobs that it produced stay. @throws NOT_FOUND */
export async function deleteEndpoint(
  ctx: Context,
  input: { readonly slug: string },
): Promise<{ readonly deleted: string }> {
  requireOperator(ctx)
  const where = { slug: input.slug }
  const endpoints = await ctx.db.prisma.voiceEndpoint.deleteMany({ where })
  const { count } = endpoints.count > 0 ? endpoints : await ctx.db.prisma.workflow.deleteMany({ where })
  if (count === 0) throw new ServiceError('NOT_FOUND', `Check the slug: there is no endpoint "${input.slug}".`)
  await ctx.catalog.reload()
  await ctx.bus.notify(CATALOG_CHANNEL)
  return { deleted: input.slug }
}
