import { useMemo } from 'preact/hooks'
import { at } from '../api/base.ts'
import { type Loaded, useQuery } from '../api/use-query.ts'
import { type TimeRange, type UsageQuery, usage } from '../operations.ts'
import { Segments } from '../parts/field.tsx'
import { count, shortCount } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { useAddress } from '../parts/use-address.ts'
import { Chart } from '../statistics/chart.tsx'
import { CsvButton } from '../statistics/csv-button.tsx'
import { Twin } from '../statistics/twin.tsx'
import { USAGE_GROUPINGS, type UsageGroupingName, usageCsv, usageGroupingOf, usedBy } from './usage-groups.ts'
import { UsageTable } from './usage-table.tsx'

const DAY_MS = 86_400_000
/** The service sums so many at a time. */
const MAX_DAYS = 92

const OPTIONS = Object.entries(USAGE_GROUPINGS).map(([name, { head }]) => [name as UsageGroupingName, head] as const)
const day = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short' })
const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' })

/** From inclusive, to exclusive, in milliseconds. */
interface Days {
  readonly range: TimeRange
  readonly from: number
  readonly to: number
  readonly isTooLong: boolean
}

export function daysOf(range: TimeRange, now: number): Days {
  const [from, to] = [Date.parse(range.from ?? ''), range.to ? Date.parse(range.to) : now]
  return { range, from, to, isTooLong: !(to - from <= MAX_DAYS * DAY_MS) }
}

/** Asks for the usage of a time, grouped as the address says. */
export function useUsage({ range, isTooLong }: Days): Loaded<UsageQuery> {
  const { by } = USAGE_GROUPINGS[usageGroupingOf(useAddress().query.by)]
  const { timeZone } = Intl.DateTimeFormat('en').resolvedOptions()
  return useQuery(usage, isTooLong ? null : { from: range.from ?? '', ...(range.to && { to: range.to }), timeZone, by })
}

interface UsageCardProps {
  readonly query: Loaded<UsageQuery>
  readonly days: Days
}

/** Who and what used the credits of a time, day by day and as a table; both as files. */
export function UsageCard({ query, days: { from, to, isTooLong } }: UsageCardProps) {
  const { query: address, change } = useAddress()
  const grouping = usageGroupingOf(address.by)
  const groups = useMemo(() => usedBy(query.data?.usageDays ?? [], grouping), [query.data])
  const isOff = isTooLong || query.data === null || query.isOther || groups.length === 0
  return (
    <section class="card usage" aria-labelledby="usage">
      <div class="card-head">
        <h2 id="usage">Usage</h2>
        {!isTooLong && <p>{shortDay.formatRange(from, to - 1)}</p>}
        <span class="grow" />
        <Segments
          label="Group by"
          value={grouping}
          onChange={(by) => change({ by: by === 'key' ? null : by })}
          options={OPTIONS}
        />
        <CsvButton title="Usage" isOff={isOff} toText={() => usageCsv(groups)} />
      </div>
      {isTooLong ? (
        <p class="card-body muted">Usage is summed for up to {MAX_DAYS} days: choose a shorter time.</p>
      ) : (
        <Load query={query} skeleton={<SkeletonRows rows={13} />}>
          {(data) => <Used days={data.creditDays} {...{ groups, grouping }} jobsOf={jobsOf(from, to)} />}
        </Load>
      )}
    </section>
  )
}

/** The address of the jobs of a group in this time. */
const jobsOf = (from: number, to: number) => (filter: Readonly<Record<string, string>>) => {
  const ends = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
  return at(`/jobs?${new URLSearchParams({ ...filter, ...ends })}`)
}

interface UsedProps {
  readonly days: UsageQuery['creditDays']
  readonly groups: ReturnType<typeof usedBy>
  readonly grouping: UsageGroupingName
  readonly jobsOf: (filter: Readonly<Record<string, string>>) => string
}

function Used({ days, groups, grouping, jobsOf }: UsedProps) {
  const { change } = useAddress()
  const line = useMemo(
    () => ({ times: days.map(({ at }) => Date.parse(at)), values: days.map(({ spent }) => spent), before: [] }),
    [days],
  )
  if (groups.length === 0)
    return (
      <p class="card-body muted">
        Nothing was used in this time. <a href={at('/playground')}>Speak something</a>, or choose a longer time.
      </p>
    )
  const formatTime = (ms: number): string => day.format(ms)
  const onZoom = (from: number, to: number): void =>
    change({ window: null, from: new Date(from).toISOString(), to: new Date(to).toISOString() })
  return (
    <>
      <Chart {...{ line, formatTime, onZoom }} tone="accent" shape="bars" format={shortCount} isUtcDay={false} />
      <Twin
        title="Credits by day"
        times={line.times}
        formatTime={formatTime}
        columns={[{ name: 'Credits', values: line.values, format: count }]}
      />
      <UsageTable {...{ groups, grouping, jobsOf }} />
      {grouping === 'tag' && <p class="card-body muted small-text">A job with two tags counts in both.</p>}
    </>
  )
}
