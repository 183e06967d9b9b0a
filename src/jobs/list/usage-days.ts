import { whoseAccount } from '../../accounts/accounts.ts'
import { type KeyName, keyNames } from '../../api-keys/api-keys.ts'
import type { Context } from '../../context/context.ts'
import { closeWindow } from '../../db/close-window.ts'
import { longScan } from '../../db/connections/long-read.ts'
import { dayBegin } from '../../db/day-begin.ts'
import { ofAccount } from '../../db/own/own-rows.ts'
import { type Detail, invalidRequest } from '../../errors/service-error.ts'
import { emailsIn } from '../../users/users.ts'
import { type JobStats, jobStats } from './job-stats.ts'
import { rejectViolations } from './jobs-filter.ts'
import { MAX_GROUPS } from './stats-request.ts'
import { refuseUnknownZone, requireTimeZone } from './time-zone.ts'

const MAX_DAYS = 92
const DAY_MS = 86_400_000

/** The column of the ledger or of its jobs, and the field of `JobStats`. */
const GROUPS = {
  api_key: { column: 'e.api_key_id', source: '', field: 'apiKeyId' },
  endpoint: { column: 'e.endpoint_key', source: '', field: 'endpointKey' },
  user: { column: 'j.user_id', source: 'left join job j on j.id = e.job_id', field: 'userId' },
  tag: {
    column: 'each_tag.tag',
    source: 'left join job j on j.id = e.job_id left join lateral unnest(j.tags) as each_tag (tag) on true',
    field: 'tag',
  },
} as const satisfies Record<string, { column: string; source: string; field: keyof JobStats }>

export type UsageDaysGroup = keyof typeof GROUPS

const FIRST_DAY = `select ${dayBegin(`date_trunc('day', $1::timestamptz at time zone $2)`, '$2')} as at`

export interface UsageDaysInput {
  readonly account?: string | null | undefined
  readonly from: Date
  /** Exclusive; now unless given. */
  readonly to?: Date | null | undefined
  readonly timeZone?: string | null | undefined
  readonly groupBy: UsageDaysGroup
  /** One sum for each group over exactly this range, instead of one for each day. */
  readonly sum?: boolean | null | undefined
}

/** A day without charges, refunds and jobs of a group has no row. */
export interface UsageDay {
  /** Beginning of the day; of a sum that of the range. */
  readonly at: Date
  /** Id of the key or user, endpoint, or tag. Null: jobs that have none; for users and tags also deleted jobs. */
  readonly group: string | null
  /** Name of the key, also after it was deleted, or address of the user; an endpoint and a tag are their own. */
  readonly name: string | null
  /** The group is a key that was deleted. */
  readonly isDeleted: boolean
  /** Charges less refunds of the ledger, by their own time. */
  readonly credits: number
  /** Jobs by their acceptance, as `jobStats` counts them; characters and audio as well. */
  readonly jobs: number
  readonly characters: number
  readonly audioSeconds: number
}

type Day = Omit<UsageDay, keyof KeyName>

/**
 * An account's use by day and group. Credits are those of the ledger, so that they add up to `creditDays`, except by tags, as a job counts in each of its tags.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST (over 92 days, for more than 10,000 rows), RATE_LIMITED
 */
export async function usageDays(ctx: Context, input: UsageDaysInput): Promise<UsageDay[]> {
  const accountId = await whoseAccount(ctx, input.account)
  const { from, to, groupBy } = { ...input, to: input.to ?? ctx.now() }
  const timeZone = input.timeZone ?? 'UTC'
  rejectViolations(violationsOf(from, to))
  requireTimeZone(timeZone)
  await closeWindow(ctx, 'credit_entry', input.to)
  const first = input.sum ? from : await firstDay(ctx, from, timeZone).catch(refuseUnknownZone)
  const days = { from: first, to, timeZone: input.sum ? null : timeZone, groupBy }
  const spent = longScan<Day>(ctx.db, accountId, ledgerQuery(accountId, days))
  const rows = toDays((await spent).rows, await jobsByDay(ctx, input, { from: first, to: input.to }), days)
  if (rows.length > MAX_GROUPS)
    throw invalidRequest('Ask for fewer days, or group by something else.', [
      { path: '/groupBy', message: `makes more than ${MAX_GROUPS} rows` },
    ])
  const nameOf = await namesOf(ctx, accountId, groupBy, [...new Set(rows.map(({ group }) => group ?? ''))])
  return rows.map((row) => ({ ...row, ...(row.group === null ? UNNAMED : nameOf(row.group)) }))
}

const UNNAMED: KeyName = { name: null, isDeleted: false }

type NameOf = (group: string) => KeyName

async function namesOf(ctx: Context, accountId: string, by: UsageDaysGroup, groups: string[]): Promise<NameOf> {
  if (by === 'endpoint' || by === 'tag') return (name) => ({ name, isDeleted: false })
  if (by === 'api_key') {
    const names = await keyNames(ctx, groups)
    return (group) => names.get(group) ?? UNNAMED
  }
  const emails = await emailsIn(ctx, accountId, groups)
  return (group) => ({ name: emails.get(group) ?? null, isDeleted: false })
}

function violationsOf(from: Date, to: Date): Detail[] {
  if (from >= to) return [{ path: '/from', message: 'must be before to' }]
  if (to.getTime() - from.getTime() <= MAX_DAYS * DAY_MS) return []
  return [{ path: '/from', message: `must not be more than ${MAX_DAYS} days before to` }]
}

async function firstDay({ db }: Context, from: Date, timeZone: string): Promise<Date> {
  const { rows } = await db.readPool.query<{ at: Date }>(FIRST_DAY, [from, timeZone])
  return rows[0]!.at
}

interface Days {
  readonly from: Date
  readonly to: Date
  /** Null: the range is summed as a whole. */
  readonly timeZone: string | null
  readonly groupBy: UsageDaysGroup
}

function ledgerQuery(accountId: string, { from, to, timeZone, groupBy }: Days) {
  const { column, source } = GROUPS[groupBy]
  const [at, day] =
    timeZone === null
      ? ['$2::timestamptz', 'null']
      : [dayBegin('day', '$4'), `date_trunc('day', e.created_at at time zone $4)`]
  const text = `
    select ${at} as at, "group", credits from (
      select ${day} as day, ${column} as "group", -sum(e.amount)::float8 as credits
      from credit_entry e ${source}
      where ${ofAccount('$1', 'e.')} and e.kind in ('charge', 'refund') and e.created_at >= $2 and e.created_at < $3
      group by 1, 2 limit ${MAX_GROUPS + 1}
    ) days`
  return { text, values: [accountId, from, to, ...(timeZone === null ? [] : [timeZone])] }
}

function jobsByDay(
  ctx: Context,
  { account, groupBy, timeZone, sum }: UsageDaysInput,
  createdAt: { readonly from: Date; readonly to: Date | null | undefined },
): Promise<JobStats[]> {
  const measures = new Set(['characters', 'audioSeconds'] as const)
  return jobStats(ctx, {
    account,
    timeZone,
    measures,
    filter: { createdAt },
    groupBy: sum ? [groupBy] : ['day', groupBy],
  })
}

/** Puts the sums of the ledger and those of the jobs together, oldest first. */
function toDays(spent: readonly Day[], stats: readonly JobStats[], { from, groupBy }: Days): Day[] {
  const none = { credits: 0, jobs: 0, characters: 0, audioSeconds: 0 }
  const days = new Map<string, Day>()
  const add = (at: Date, group: string | null, sums: Partial<Day>): void => {
    const key = JSON.stringify([at.getTime(), group])
    days.set(key, { ...none, at, group, ...days.get(key), ...sums })
  }
  for (const { at, group, credits } of spent) add(at, group, { credits })
  for (const { day, jobs, characters, audioSeconds, ...one } of stats)
    add(day ?? from, one[GROUPS[groupBy].field], { jobs, characters: characters ?? 0, audioSeconds: audioSeconds ?? 0 })
  return [...days.values()].sort((one, other) => one.at.getTime() - other.at.getTime() || byGroup(one, other))
}

const byGroup = ({ group: one }: Day, { group: other }: Day): number =>
  (one ?? '') < (other ?? '') ? -1 : Number((one ?? '') > (other ?? ''))
