import type { Answered } from '../api/ask.ts'
import type { SpendingQuery } from '../operations.ts'
import { Tile } from '../overview/tile.tsx'
import { count, share, shortCount } from '../parts/format.ts'
import { monthUse } from '../parts/month-use.tsx'
import { balance } from '../shell/balance.ts'

const monthName = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })
const MANY_DAYS = 999

interface SpendingTilesProps {
  /** Null until it is answered. */
  readonly data: Answered<SpendingQuery> | null
  readonly isFailed: boolean
}

/** Shows the month so far, where it leads, the balance and how long it lasts, and the limit. */
export function SpendingTiles({ data, isFailed }: SpendingTilesProps) {
  const unknown = isFailed ? 'could not be counted' : 'is being counted'
  const spending = data?.spending
  const { monthlyLimit, limitShare } = data?.account ?? {}
  const month = spending ? monthName.format(new Date(spending.month)) : 'This month'
  return (
    <div class="tiles">
      <Tile
        name={`${month} so far`}
        value={spending ? count(spending.spent) : '–'}
        note={spending ? paceOf(spending.perDay) : unknown}
      />
      <Tile
        name={spending ? `${month}, forecast` : 'Forecast'}
        value={spending?.forecast == null ? '–' : count(spending.forecast)}
        note={spending ? forecastNote(spending.forecast, monthlyLimit) : unknown}
      />
      <Tile name="Balance" value={count(balance.value)} note={spending ? lastsFor(spending.balanceDays) : unknown} />
      <Tile
        name="Monthly limit"
        value={data === null ? '–' : limitShare == null ? 'None' : `${share(limitShare)} used`}
        note={data === null ? unknown : limitShare == null ? 'Your operator can set one.' : monthUse(data.account)}
        {...(limitShare != null && { share: limitShare })}
      />
    </div>
  )
}

const paceOf = (perDay: number | null | undefined): string =>
  perDay == null ? 'credits' : `credits, ${shortCount(Math.round(perDay))} a day lately`

function forecastNote(forecast: number | null | undefined, limit: number | null | undefined): string {
  if (forecast == null) return 'after a whole day of use'
  return limit != null && forecast > limit ? 'more than the monthly limit' : 'credits, by the last 28 days'
}

function lastsFor(days: number | null | undefined): string {
  if (balance.value <= 0) return 'Ask your operator for credits.'
  if (days == null) return 'Your operator adds more.'
  if (days > MANY_DAYS) return `lasts over ${MANY_DAYS} days at this pace`
  return days === 1 ? 'lasts about 1 day at this pace' : `lasts about ${count(days)} days at this pace`
}
