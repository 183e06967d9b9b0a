import type { PrismaTx } from '../db/database.ts'
import { lockRow } from '../db/lock-row.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { User } from './user.ts'

/**
 * Locks the account, so two owners cannot disable each other at once.
 * @throws INVALID_REQUEST
 */
export async function requireAnotherOwner(
  tx: PrismaTx,
  { id, accountId }: Pick<User, 'id' | 'accountId'>,
): Promise<void> {
  await lockRow(tx, 'account', accountId)
  const owners = await tx.user.findMany({
    where: { accountId, role: 'owner', disabledAt: null },
    take: 2,
    select: { id: true },
  })
  if (owners.length === 1 && owners[0]?.id === id)
    throw invalidRequest('Make another user an owner first: this is the last one of the account.', [
      { path: '/user', message: 'is the last owner' },
    ])
}
