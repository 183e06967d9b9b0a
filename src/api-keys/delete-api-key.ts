import { type Context, requireSystem } from '../context.ts'
import { ServiceError } from '../errors.ts'

/** Deletes a key: it is refused from the very next request on. Its jobs stay, with its id and without its name. @throws NOT_FOUND */
export async function deleteApiKey(
  ctx: Context,
  input: { readonly apiKeyId: string },
): Promise<{ readonly apiKeyId: string }> {
  requireSystem(ctx)
  const { count } = await ctx.db.prisma.apiKey.deleteMany({ where: { id: input.apiKeyId } })
  if (count === 0) throw new ServiceError('NOT_FOUND', `Check the key id: there is no key "${input.apiKeyId}".`)
  return { apiKeyId: input.apiKeyId }
}
