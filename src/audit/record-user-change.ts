import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { sqlIn } from '../db/sql.ts'
import type { AuditedAction } from './audited-actions.ts'
import { recordChange } from './record-change.ts'

interface NamedUser {
  readonly id: string
  readonly accountId: string
  readonly email: string
}

export const recordUserChange = (
  tx: PrismaTx,
  { actor }: Pick<Context, 'actor'>,
  action: AuditedAction,
  { id, accountId, email }: NamedUser,
  detail?: string,
): Promise<void> =>
  recordChange(sqlIn(tx), actor, {
    ...{ action, accountId, subjectId: id, subjectName: email },
    ...(detail !== undefined && { detail }),
  })
