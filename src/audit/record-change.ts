import type { Actor } from '../access/actor.ts'
import type { Sql } from '../db/sql.ts'
import { newId } from '../values/id.ts'
import type { AuditedAction } from './audited-actions.ts'

/** A change that is to be found again. */
interface Change {
  readonly action: AuditedAction
  /** The account that it concerns; null: the whole installation. */
  readonly accountId: string | null
  /** Id of what was changed: a key, a user, an endpoint's slug, a job. */
  readonly subjectId?: string
  /** What it was called then: a key's name, a user's e-mail address. */
  readonly subjectName?: string
  /** Never a secret, a text or a whole URL. */
  readonly detail?: string | null
}

/** By the names of now: a key or user may be gone when the entry is read. */
const RECORD = `
  insert into audit_entry (account_id, action, subject_id, subject_name, detail, actor_kind, actor_id, actor_account_id, actor_name, public_id)
  values ($1, $2, $3, $4, $5, $6::text, $7::text, $8,
    case $6::text when 'key' then (select name from api_key where id = $7::text)
      when 'user' then (select email from "user" where id = $7::text) end, $9)`

/** Records a change in the transaction that makes it: it is there if and only if the change is. */
export async function recordChange(tx: Sql, actor: Actor, change: Change): Promise<void> {
  const { action, accountId, subjectId, subjectName, detail } = change
  const subject = [subjectId ?? null, subjectName ?? null, detail ?? null]
  await tx.query({
    name: 'record_change',
    text: RECORD,
    values: [accountId, action, ...subject, ...namesOf(actor), newId('audit')],
  })
}

/** Kind, id and account. The command line acts for the operator, whichever account it names. */
function namesOf(actor: Actor): readonly (string | null)[] {
  if (actor.kind === 'key') return ['key', actor.apiKeyId, actor.accountId]
  if (actor.kind === 'session') return ['user', actor.userId, actor.accountId]
  return ['operator', null, null]
}
