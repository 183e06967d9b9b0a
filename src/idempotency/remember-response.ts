import { createHash } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { canonicalJson } from '../values/canonical-json.ts'

/** How long a key is remembered. */
const REMEMBERED = `interval '24 hours'`
const KEY_FORM = /^[\x20-\x7e]{1,255}$/

/** One use of an Idempotency-Key: whose, which, and the hash of the request that it came with. */
export interface IdempotentRequest {
  readonly accountId: string
  readonly key: string
  readonly requestHash: Buffer
}

/** @throws INVALID_REQUEST unless the key is 1 to 255 printable ASCII characters */
export function checkIdempotencyKey(key: string): void {
  if (KEY_FORM.test(key)) return
  const details = [{ path: '/idempotencyKey', message: 'must have 1 to 255 printable ASCII characters' }]
  throw invalidRequest('Send an Idempotency-Key of 1 to 255 printable ASCII characters.', details)
}

/** The use of a key by an account, with the hash of what it came with; null without a key. @throws INVALID_REQUEST for a malformed key */
export function idempotentRequest(
  owner: { readonly accountId: string },
  key: string | null | undefined,
  content: readonly unknown[],
): IdempotentRequest | null {
  if (key === undefined || key === null) return null
  checkIdempotencyKey(key)
  const requestHash = createHash('sha256').update(canonicalJson(content)).digest()
  return { accountId: owner.accountId, key, requestHash }
}

/** The job that this key already made, or null. @throws IDEMPOTENCY_MISMATCH where it was already used with a different request */
export async function recallJob(db: Pool | PoolClient, request: IdempotentRequest): Promise<string | null> {
  const { rows } = await db.query<{ request_hash: Buffer; job_id: string }>(
    `select request_hash, job_id from idempotency_record
     where account_id = $1 and key = $2 and created_at > now() - ${REMEMBERED}`,
    [request.accountId, request.key],
  )
  const known = rows[0]
  if (known === undefined) return null
  if (known.request_hash.equals(request.requestHash)) return known.job_id
  throw new ServiceError(
    'IDEMPOTENCY_MISMATCH',
    'Send a new Idempotency-Key: this Idempotency-Key was already used with a different request.',
  )
}

/** Whether the caller made a job of an endpoint under a key, with the same API key as now. A malformed key made none. */
export async function madeBefore(
  db: Pool,
  caller: { readonly accountId: string; readonly apiKeyId?: string },
  { endpointKey, idempotencyKey }: { readonly endpointKey: string; readonly idempotencyKey: string | null | undefined },
): Promise<boolean> {
  if (idempotencyKey === undefined || idempotencyKey === null || !KEY_FORM.test(idempotencyKey)) return false
  const { rowCount } = await db.query(
    `select from idempotency_record r join job j on j.id = r.job_id
     where r.account_id = $1 and r.key = $2 and r.created_at > now() - ${REMEMBERED}
       and j.endpoint_key = $3 and j.api_key_id is not distinct from $4`,
    [caller.accountId, idempotencyKey, endpointKey, caller.apiKeyId ?? null],
  )
  return rowCount === 1
}

/**
 * Binds the key to a job, in the transaction that makes the job. Returns false where another request was faster: while that one's
 * transaction is open this call waits for it.
 */
export async function rememberJob(tx: PoolClient, request: IdempotentRequest, jobId: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into idempotency_record (account_id, key, request_hash, job_id) values ($1, $2, $3, $4)
     on conflict (account_id, key) do update
       set request_hash = excluded.request_hash, job_id = excluded.job_id, created_at = now()
       where idempotency_record.created_at <= now() - ${REMEMBERED}`,
    [request.accountId, request.key, request.requestHash, jobId],
  )
  return rowCount === 1
}

/** Deletes the answers that have expired. */
export async function forgetExpired(db: Pool): Promise<void> {
  await db.query(`delete from idempotency_record where created_at <= now() - ${REMEMBERED}`)
}
