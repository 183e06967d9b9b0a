import { createHash } from 'node:crypto'
import type { Database } from '../db/database.ts'
import type { Sql } from '../db/sql.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { canonicalJson } from '../values/json.ts'

export const REMEMBERED_MS = 24 * 3_600_000
const KEY_FORM = /^[\x20-\x7e]{1,255}$/

export interface IdempotentRequest {
  readonly accountId: string
  readonly key: string
  readonly requestHash: Buffer
}

function checkIdempotencyKey(key: string): void {
  if (KEY_FORM.test(key)) return
  const details = [{ path: '/idempotencyKey', message: 'must have 1 to 255 printable ASCII characters' }]
  throw invalidRequest('Send an Idempotency-Key of 1 to 255 printable ASCII characters.', details)
}

/** Returns null without a key. @throws INVALID_REQUEST for a malformed key */
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

interface Records {
  readonly db: Pick<Database, 'prisma'>
  now(): Date
}

/** Returns the job that the key made, or null. @throws IDEMPOTENCY_MISMATCH for another request */
export async function recallJob({ db, now }: Records, request: IdempotentRequest): Promise<string | null> {
  const { accountId, key, requestHash } = request
  const known = await db.prisma.idempotencyRecord.findFirst({
    where: { accountId, key, createdAt: { gt: expiredAt(now()) } },
    select: { requestHash: true, jobId: true },
  })
  if (known === null) return null
  if (requestHash.equals(known.requestHash)) return known.jobId
  throw new ServiceError(
    'IDEMPOTENCY_MISMATCH',
    'Send a new Idempotency-Key: this Idempotency-Key was already used with a different request.',
  )
}

export async function madeBefore(
  { db, now }: Records,
  caller: { readonly accountId: string; readonly apiKeyId?: string },
  { endpointKey, idempotencyKey }: { readonly endpointKey: string; readonly idempotencyKey: string | null | undefined },
): Promise<boolean> {
  if (idempotencyKey === undefined || idempotencyKey === null || !KEY_FORM.test(idempotencyKey)) return false
  const record = await db.prisma.idempotencyRecord.findFirst({
    where: { accountId: caller.accountId, key: idempotencyKey, createdAt: { gt: expiredAt(now()) } },
    select: { jobId: true },
  })
  if (record === null) return false
  const where = { id: record.jobId, endpointKey, apiKeyId: caller.apiKeyId ?? null }
  return (await db.prisma.job.count({ where })) === 1
}

/**
 * Binds the key to a job in the job's transaction.
 * Waits for another open transaction with this key; returns false if that one commits.
 */
export async function rememberJob(tx: Sql, request: IdempotentRequest, jobId: string): Promise<boolean> {
  const { rows } = await tx.query({
    text: `${binding('values ($1, $2, $3, $4)')} returning job_id`,
    values: [request.accountId, request.key, request.requestHash, jobId],
  })
  return rows.length === 1
}

/**
 * Binds keys within the statement that inserts jobs and returns the bound ids.
 * Ordered keys prevent deadlocks. A key of another job is not locked.
 * @param asked an expression with the columns id, account_id, key and request_hash
 */
export const rememberingJobs = (asked: string): string =>
  `${binding(`
    select distinct on (account_id, key) account_id, key, request_hash, id from ${asked}
    where not exists (
      select from idempotency_record r
      where r.account_id = ${asked}.account_id and r.key = ${asked}.key and r.job_id <> ${asked}.id and r.created_at > ${EXPIRED}
    )
    order by account_id, key, id`)}
  or idempotency_record.job_id = excluded.job_id returning job_id as id`

const EXPIRED = `now() - make_interval(secs => ${REMEMBERED_MS / 1000})`

const binding = (rows: string): string => `
  insert into idempotency_record (account_id, key, request_hash, job_id) ${rows}
  on conflict (account_id, key) do update
    set request_hash = excluded.request_hash, job_id = excluded.job_id, created_at = now()
    where idempotency_record.created_at <= ${EXPIRED}`

/** Unbinds the key from the job, so the next request with it makes another one. Without `key` it unbinds every key of the job. */
export async function forgetJob(
  tx: Sql,
  { accountId, key }: { readonly accountId: string; readonly key?: string },
  jobId: string,
) {
  const text = 'delete from idempotency_record where account_id = $1 and key = coalesce($2, key) and job_id = $3'
  await tx.query({ text, values: [accountId, key ?? null, jobId] })
}

/** Keeps the answer that a replay repeats. */
export async function keepAnswer(tx: Sql, { accountId, key }: IdempotentRequest, jobId: string, answer: object) {
  const text = 'update idempotency_record set response = $4 where account_id = $1 and key = $2 and job_id = $3'
  await tx.query({ text, values: [accountId, key, jobId, JSON.stringify(answer)] })
}

export async function forgetExpired({ db, now }: Records): Promise<void> {
  await db.prisma.idempotencyRecord.deleteMany({ where: { createdAt: { lte: expiredAt(now()) } } })
}

const expiredAt = (now: Date): Date => new Date(now.getTime() - REMEMBERED_MS)
