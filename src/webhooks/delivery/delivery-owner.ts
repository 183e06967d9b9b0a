import { requireOperator } from '../../access/require.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { isId } from '../../values/id.ts'

/**
 * Returns the account id of a delivery, for the operator.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function deliveryOwner(ctx: Context, { id }: { readonly id: string }): Promise<string> {
  requireOperator(ctx)
  const found = isId('msg', id)
    ? await ctx.db.prisma.webhookDelivery.findUnique({ where: { id }, select: { accountId: true } })
    : null
  if (found === null) throw new ServiceError('NOT_FOUND', `No delivery with the id "${id}".`)
  return found.accountId
}
