import { longRead } from '../db/connections/long-read.ts'
import type { Database } from '../db/database.ts'
import { ofAccount } from '../db/own/own-rows.ts'

/** Granted less spent and carried, over all days, is the balance. */
export interface LedgerDay {
  readonly at: Date
  readonly granted: number
  readonly spent: number
  /** Charges less refunds of whole months that releases up to 0.1.0 deleted. */
  readonly carried: number
}

interface Days {
  readonly from: Date
  readonly to: Date
  readonly timeZone: string
}

/** Prisma Client cannot group by days of a time zone. */
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

/** @throws RATE_LIMITED if the account's reads take too long */
export async function ledgerDays(
  db: Pick<Database, 'readPool' | 'readShares'>,
  accountId: string,
  { from, to, timeZone }: Days,
): Promise<LedgerDay[]> {
  const { rows } = await longRead<LedgerDay>(db, accountId, { text: SUMS, values: [accountId, from, to, timeZone] })
  return rows
}
