import type { Actor } from '../access/actor.ts'
import type { Context } from '../context/context.ts'
import type { PrismaTx } from '../db/database.ts'
import { type Sql, sqlIn } from '../db/sql.ts'
import { newId } from '../values/id.ts'
import type { AuditedAction } from './audited-actions.ts'

/** The entry keeps today's names, because a key or user may be gone when it is read. */
const RECORD = `
  insert into audit_entry (account_id, action, subject_id, subject_name, detail, actor_kind, actor_id, actor_account_id, actor_name, public_id)
  values ($1, $2, $3, $4, $5, $6::text, $7::text, $8,
    case $6::text when 'key' then (select name from api_key where id = $7::text)
      when 'user' then (select email from "user" where id = $7::text) end, $9)`

interface Change {
  readonly action: AuditedAction
  /** null: the whole installation */
  readonly accountId: string | null
  readonly subjectId?: string
  readonly subjectName?: string
  /** Never a secret, a text or a whole URL. */
  readonly detail?: string | null
}

interface NamedUser {
  readonly id: string
  readonly accountId: string
  readonly email: string
}

/** Records a change in the transaction that makes it. */
export async function recordChange(tx: Sql, actor: Actor, change: Change): Promise<void> {
  const { action, accountId, subjectId, subjectName, detail } = change
  const subject = [subjectId ?? null, subjectName ?? null, detail ?? null]
  await tx.query({
    name: 'record_change',
    text: RECORD,
    values: [accountId, action, ...subject, ...namesOf(actor), newId('audit')],
  })
}

function namesOf(actor: Actor): readonly (string | null)[] {
  if (actor.kind === 'key') return ['key', actor.apiKeyId, actor.accountId]
  if (actor.kind === 'session') return ['user', actor.userId, actor.accountId]
  return ['operator', null, null]
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
