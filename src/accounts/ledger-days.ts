import { longRead } from '../db/connections/long-read.ts'
import type { Database } from '../db/database.ts'
import { ofAccount } from '../db/own/own-rows.ts'

/** What changed a balance in one day; over all days together, granted less spent and carried is the balance. */
export interface LedgerDay {
  /** When it begins. */
  readonly at: Date
  /** Less what the operator took back. */
  readonly granted: number
  /** Charges less refunds. */
  readonly spent: number
  /** The same of a whole month's jobs that releases up to 0.1.0 deleted, in the day of the month's first instant in UTC. */
  readonly carried: number
}

interface Days {
  /** The first day is the one that it lies in, whole. */
  readonly from: Date
  /** Exclusive. */
  readonly to: Date
  /** Of the IANA data base: `Europe/Berlin`. */
  readonly timeZone: string
}

/** In SQL, since Prisma Client groups by columns alone, and days of a time zone are none. */
const SUMS = `
  with days as (
    select t at time zone $4 as at
    from generate_series(date_trunc('day', $2::timestamptz at time zone $4), $3::timestamptz at time zone $4, '1 day') t
  ), sums as (
    select date_trunc('day', created_at at time zone $4) at time zone $4 as at,
      sum(amount) filter (where kind = 'grant') as granted, -sum(amount) filter (where kind in ('charge', 'refund')) as spent,
      -sum(amount) filter (where kind = 'carried') as carried
    from credit_entry where ${ofAccount('$1')} and created_at >= (select min(at) from days) and created_at < $3 group by 1
  )
  select at, coalesce(granted, 0)::float8 as granted, coalesce(spent, 0)::float8 as spent, coalesce(carried, 0)::float8 as carried
  from days left join sums using (at) where at < $3 order by at`

/** The sums of an account's ledger, oldest day first, days without entries included. @throws RATE_LIMITED where the account's own reads take too long */
export async function ledgerDays(
  db: Pick<Database, 'readPool' | 'readShares'>,
  accountId: string,
  { from, to, timeZone }: Days,
): Promise<LedgerDay[]> {
  const { rows } = await longRead<LedgerDay>(db, accountId, { text: SUMS, values: [accountId, from, to, timeZone] })
  return rows
}
