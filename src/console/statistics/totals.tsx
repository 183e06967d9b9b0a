import type { StatisticsQuery } from '../operations.ts'
import { Tile } from '../overview/tile.tsx'
import { count, duration, share, shortCount } from '../parts/format.ts'
import { change } from './series.ts'

/** The figures of the whole window, with how they changed. */
export function Totals({ data }: { data: StatisticsQuery }) {
  const [total] = data.total
  const before = data.totalBefore?.[0]
  const failed = sumOf(data.series.points, ({ failed }) => failed)
  const ended = failed + sumOf(data.series.points, ({ completed }) => completed)
  return (
    <div class="tiles">
      <Tile
        name="Jobs"
        value={shortCount(total?.jobs ?? 0)}
        note={compared(`${shortCount(total?.characters ?? 0)} characters`, total?.jobs, before?.jobs)}
      />
      <Tile
        name="Without failure"
        value={ended === 0 ? '–' : share(1 - failed / ended)}
        note={`${count(failed)} of ${count(ended)} failed or cancelled`}
      />
      <Waited total={total} before={before} />
      <Made total={total} before={before} />
    </div>
  )
}

interface OfTotalProps {
  readonly total: Total | undefined
  /** The same of the window before. */
  readonly before: Total | undefined
}

const Waited = ({ total, before }: OfTotalProps) => (
  <Tile
    name="95% began in"
    value={duration(total?.waitMs?.p95)}
    note={compared(
      total?.runMs ? `ran ${duration(total.runMs.p95)}` : 'no job has ended yet',
      total?.waitMs?.p95,
      before?.waitMs?.p95,
    )}
  />
)

const Made = ({ total, before }: OfTotalProps) => (
  <>
    <Tile
      name="Audio made"
      value={duration((total?.audioSeconds ?? 0) * 1000)}
      note={compared(
        perJob(duration(((total?.audioSeconds ?? 0) / (total?.jobs || 1)) * 1000), total?.jobs),
        total?.audioSeconds ?? undefined,
        before?.audioSeconds ?? undefined,
      )}
    />
    <Tile
      name="Credits"
      value={shortCount(total?.credits ?? 0)}
      note={compared(
        perJob(shortCount(Math.round((total?.credits ?? 0) / (total?.jobs || 1))), total?.jobs),
        total?.credits ?? undefined,
        before?.credits ?? undefined,
      )}
    />
  </>
)

const perJob = (mean: string, jobs = 0): string => (jobs === 0 ? 'no job' : `${mean} for a job`)

type Total = StatisticsQuery['total'][number]
type Point = StatisticsQuery['series']['points'][number]
const sumOf = (points: readonly Point[], of: (point: Point) => number): number =>
  points.reduce((sum, point) => sum + of(point), 0)

const signed = new Intl.NumberFormat('en', { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 })

/** With how it changed, where both windows have it. */
const compared = (text: string, now: number | undefined, before: number | undefined): string =>
  now === undefined || before === undefined ? text : `${changeOf(now, before)} · ${text}`

function changeOf(now: number, before: number): string {
  const rise = change(now, before)
  return rise === null ? 'none before' : rise > 99 ? 'over 99 times before' : signed.format(rise).replace('-', '−')
}
