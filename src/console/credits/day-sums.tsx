import { timeNow } from '../api/clock.ts'
import { useQuery } from '../api/use-query.ts'
import { type CreditDaysQuery, creditDays, type TimeRange } from '../operations.ts'
import { Sparkline } from '../overview/sparkline.tsx'
import { count } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Twin } from '../statistics/twin.tsx'
import './credits.css'
import { summedDays } from './summed-days.ts'

const day = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short' })

interface DaySumsProps {
  /** The sums cover the whole days of this range. */
  readonly range: TimeRange
}

/** Sums up each day for all kinds of entries. Shows nothing for ranges shorter than a day or longer than a year. */
export function DaySums({ range }: DaySumsProps) {
  const { from, to } = range
  const days = summedDays(range, timeNow())
  const { timeZone } = Intl.DateTimeFormat('en').resolvedOptions()
  const query = useQuery(creditDays, from && days !== null ? { from, timeZone, ...(to && { to }) } : null)
  if (days === null) return null
  return (
    <section class="card day-sums" aria-label="Day by day">
      <div class="card-head">
        <h2>Day by day</h2>
        <p>{days}, in whole days</p>
      </div>
      <Load query={query} skeleton={<SkeletonRows rows={1} />}>
        {(data) => <Sums days={data.creditDays} />}
      </Load>
    </section>
  )
}

function Sums({ days }: { days: CreditDaysQuery['creditDays'] }) {
  const of = (name: 'spent' | 'granted' | 'carried') => days.map((one) => one[name])
  const [spent, granted, carried] = [of('spent'), of('granted'), of('carried')]
  if ([...spent, ...granted, ...carried].every((sum) => sum === 0))
    return <p class="card-body muted">Nothing was spent or granted.</p>
  return (
    <>
      <div class="card-body halves flush">
        <Figure name="Spent" values={spent} />
        <Figure name="Granted" values={granted} />
      </div>
      <DeletedJobs credits={sumOf(carried)} />
      <Twin
        title="Credits by day"
        times={days.map(({ at }) => Date.parse(at))}
        formatTime={(ms) => day.format(ms)}
        columns={[
          { name: 'Spent', values: spent, format: count },
          { name: 'Granted', values: granted, format: count },
          { name: 'Deleted jobs', values: carried, format: count },
        ]}
      />
    </>
  )
}

/** Their own days are not known any more. */
const DeletedJobs = ({ credits }: { readonly credits: number }) =>
  credits === 0 ? null : (
    <p class="card-body muted small-text">
      Jobs deleted since <strong class="figure">{count(credits)}</strong>, by month: each is dated at its beginning.
    </p>
  )

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0)

/** A day that gave back more than it took has no bar. */
const Figure = ({ name, values }: { name: string; values: readonly number[] }) => (
  <div>
    <p class="muted small-text">
      {name} <strong class="figure">{count(sumOf(values))}</strong>
    </p>
    <Sparkline values={values.map((value) => Math.max(0, value))} />
  </div>
)
