import { ownerOf } from '../access/actor.ts'
import { holdsIn, isOperator, requireAccount, requireOperator, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE, VOICE_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import type { Tx } from '../db/database.ts'
import { jobNotFound, ServiceError } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'
import { JOB_COLUMNS, JOB_TABLES, type Job, PAGE_COLUMNS } from './job-shape.ts'

const FIND = `select ${JOB_COLUMNS} from ${JOB_TABLES} where j.id = $1`
const FIND_VISIBLE = `
  select ${JOB_COLUMNS} from ${JOB_TABLES} where j.id = any($1) and ($2::text is null or j.account_id = $2)`

export interface OperatorJob extends Job {
  readonly cause: string | null
}

/**
 * One job of the caller's account.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function job(ctx: Context, input: { readonly jobId: string }): Promise<Job> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const found = await findJob(ctx.db.pool, input.jobId, accountId)
  if (found === null) throw jobNotFound()
  return found
}

/**
 * A job with its outputs.
 * @param accountId null: any account
 */
export async function findJob(db: Pick<Tx, 'query'>, jobId: string, accountId: string | null): Promise<Job | null> {
  if (!isId('job', jobId)) return null
  const { rows } = await db.query<Job>(
    accountId === null
      ? { name: 'any_job', text: FIND, values: [jobId] }
      : { name: 'job', text: `${FIND} and j.account_id = $2`, values: [jobId, accountId] },
  )
  return rows[0] ?? null
}

interface More {
  readonly name: string
  readonly columns: string
}

export async function findJobsWith<Extra extends object>(
  db: Pick<Tx, 'query'>,
  jobIds: readonly string[],
  { name, columns }: More,
): Promise<(Job & Extra)[]> {
  const text = `select ${JOB_COLUMNS}, ${columns} from ${JOB_TABLES} where j.id = any($1::text[])`
  const { rows } = await db.query<Job & Extra>({ name, text, values: [jobIds] })
  return rows
}

/**
 * Jobs of the caller's account; the operator sees every account's.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function findVisibleJobs(ctx: Context, jobIds: readonly string[]): Promise<Job[]> {
  if (!isOperator(ctx)) requireScope(ctx, JOB_READ_SCOPE)
  const accountId = isOperator(ctx) ? null : requireAccount(ctx).accountId
  const { rows } = await ctx.db.pool.query<Job>({
    name: 'visible_jobs',
    text: FIND_VISIBLE,
    values: [jobIds, accountId],
  })
  return rows
}

/** Those of these jobs that the caller may read; none without the scope. */
export async function loadJobs(ctx: Context, jobIds: readonly string[]): Promise<Map<string, Job>> {
  const owner = isOperator(ctx) ? null : (ownerOf(ctx.actor) ?? '')
  if (owner !== null && !holdsIn(ctx, owner, JOB_READ_SCOPE)) return new Map()
  const { rows } = await ctx.db.pool.query<Job>({
    name: 'jobs_of_edges',
    text: `select ${PAGE_COLUMNS} from ${JOB_TABLES} where j.id = any($1::text[]) and ($2::text is null or j.account_id = $2)`,
    values: [jobIds, owner],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

/** Internal causes of failures by job id, for the operator only. */
export async function loadCauses({ db }: Context, jobIds: readonly string[]): Promise<Map<string, string>> {
  const where = { id: { in: [...jobIds] } }
  const rows = await db.prisma.job.findMany({ where, select: { id: true, cause: true } })
  return new Map(rows.flatMap(({ id, cause }) => (cause === null ? [] : [[id, cause] as const])))
}

/**
 * One voice job of the caller's account.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function voiceJob(ctx: Context, input: { readonly jobId: string }): Promise<Job> {
  requireScope(ctx, VOICE_SCOPE)
  const accountId = 'accountId' in ctx.actor ? ctx.actor.accountId : null
  const found = accountId === null ? null : await findJob(ctx.db.pool, input.jobId, accountId)
  if (found?.type !== 'voice') throw jobNotFound()
  return found
}

/**
 * Any account's job with its internal error.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function showJob(ctx: Context, input: { readonly jobId: string }): Promise<OperatorJob> {
  requireOperator(ctx)
  const more = { name: 'operator_job', columns: 'j.cause' }
  const [found] = isId('job', input.jobId)
    ? await findJobsWith<Pick<OperatorJob, 'cause'>>(ctx.db.pool, [input.jobId], more)
    : []
  if (found === undefined) throw new ServiceError('NOT_FOUND', `No job with the id "${input.jobId}".`)
  return found
}
