import { requireAccount, requireScope } from '../../access/require.ts'
import { JOB_READ_SCOPE } from '../../access/scopes.ts'
import type { Context } from '../../context/context.ts'
import { atOneMoment } from '../../db/one-moment.ts'
import { type Detail, invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { type JobStats, jobStats } from './job-stats.ts'
import { rejectViolations } from './jobs-filter.ts'
import { type JobGroup, type JobStatsInput, MAX_GROUPS } from './stats-request.ts'

const MAX_WINDOW_MS = 366 * 86_400_000
/** As `jobStats` names its arguments. */
const PARAMETERS: Readonly<Record<string, string>> = { '/groupBy': 'group_by', '/timeZone': 'time_zone' }
/** Not before the snapshot: it is taken as the statement begins, and JavaScript cuts microseconds off. */
const MOMENT = `select clock_timestamp() + interval '1 millisecond' as "asOf"`

/** Field of `JobStats`, by group. */
const FIELDS = {
  api_key: 'apiKeyId',
  endpoint: 'endpointKey',
  type: 'type',
  status: 'status',
  voice: 'voice',
  tag: 'tag',
} as const satisfies Partial<Record<JobGroup, keyof JobStats>>

export type UsageGroup = keyof typeof FIELDS
export const USAGE_GROUPS = Object.keys(FIELDS) as UsageGroup[]
export const USAGE_BUCKETS = ['hour', 'day'] as const

export interface UsageInput {
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  /** `day` unless given. */
  readonly bucket?: (typeof USAGE_BUCKETS)[number] | undefined
  readonly groupBy?: readonly UsageGroup[] | undefined
  /** Of hours and days; UTC unless given. */
  readonly timeZone?: string | undefined
  readonly gone?: AbortSignal
}

export interface UsageRow extends Readonly<Partial<Record<UsageGroup, string | null>>> {
  readonly bucket: Date
  readonly jobs: number
  readonly credits: number
  readonly characters: number
  readonly audioSeconds: number
}

export interface Usage {
  /** Just after PostgreSQL took the snapshot that was counted: a job that was accepted shortly before may be missing. */
  readonly asOf: Date
  readonly rows: readonly UsageRow[]
}

interface Counted extends Pick<Usage, 'asOf'> {
  readonly stats: readonly JobStats[]
  /** A GraphQL answer has some; here a failure throws. */
  readonly errors?: never
}

/**
 * The account's jobs by hour or day of their acceptance and by group, as `jobStats` counts them. Failed jobs cost nothing.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST (over 366 days, for more than 10,000 rows, an unknown time zone), RATE_LIMITED
 */
export async function usage(ctx: Context, input: UsageInput): Promise<Usage> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const { from, to, bucket = 'day', groupBy = [], timeZone, gone } = input
  rejectViolations(violationsOf(input))
  const measures = new Set(['characters', 'audioSeconds', 'credits'] as const)
  const asked = { groupBy: [bucket, ...groupBy], filter: { createdAt: { from, to } }, measures, timeZone }
  const { asOf, stats } = await count(ctx, accountId, asked, gone).catch(asParameters)
  return { asOf, rows: stats.map((row) => toRow(row, bucket, groupBy)) }
}

const count = (ctx: Context, owner: string, asked: JobStatsInput, gone = new AbortController().signal) =>
  atOneMoment(ctx.db, { kind: 'several', owner, signal: gone }, async (db): Promise<Counted> => {
    const [{ rows }, stats] = await Promise.all([
      db.readPool.query<{ asOf: Date }>(MOMENT),
      jobStats({ ...ctx, db }, asked),
    ])
    return { asOf: rows[0]!.asOf, stats }
  })

function violationsOf({ from, to, groupBy = [] }: UsageInput): Detail[] {
  return [
    ...(from >= to ? [{ path: 'from', message: 'must be before to' }] : []),
    ...(to.getTime() - from.getTime() > MAX_WINDOW_MS
      ? [{ path: 'to', message: 'is more than 366 days after from' }]
      : []),
    ...(new Set(groupBy).size < groupBy.length ? [{ path: 'group_by', message: 'must name each group once' }] : []),
  ]
}

function asParameters(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'INVALID_REQUEST') throw error
  const details = (error.details ?? []).map(({ path, message }) => ({ path: PARAMETERS[path] ?? path, message }))
  const isTooMany = details.some(({ path, message }) => path === 'group_by' && message.includes(String(MAX_GROUPS)))
  if (!isTooMany) throw invalidRequest(error.message, details)
  throw invalidRequest(`Ask for a shorter window, days or fewer groups: at most ${MAX_GROUPS} rows.`, details)
}

const toRow = (row: JobStats, bucket: 'hour' | 'day', groupBy: readonly UsageGroup[]): UsageRow => ({
  bucket: row[bucket] as Date,
  ...Object.fromEntries(groupBy.map((group) => [group, row[FIELDS[group]]])),
  jobs: row.jobs,
  credits: row.credits ?? 0,
  characters: row.characters ?? 0,
  audioSeconds: row.audioSeconds ?? 0,
})
