import { useMemo } from 'preact/hooks'
import { at } from '../api/base.ts'
import { now, timeNow } from '../api/clock.ts'
import { useQuery } from '../api/use-query.ts'
import { saveText } from '../jobs/csv.ts'
import { filterOf } from '../jobs/jobs-filter.ts'
import { DroppedNotice } from '../jobs/jobs-toolbar.tsx'
import {
  nearestJobs,
  type StatisticsQuery,
  type StatisticsSumsQuery,
  statistics,
  statisticsSums,
} from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { exactTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { useAddress } from '../parts/use-address.ts'
import { Breakdown, Latencies } from './breakdowns.tsx'
import { Charts } from './charts.tsx'
import { droppedOf } from './dropped.ts'
import { GroupsCard } from './groups-table.tsx'
import { jobsAddress, type Whose } from './jobs-address.ts'
import { type Asked, MoreCharts } from './more-charts.tsx'
import './statistics.css'
import { stepsCsv } from './steps-csv.ts'
import { sumStepOf } from './sums.ts'
import { Totals } from './totals.tsx'
import { addressOfWindow, DAY_MS, MINUTE_MS, nearest, type TimeWindow, windowOf } from './window.ts'
import { WindowBar } from './window-bar.tsx'

const NONE = {}
const iso = (ms: number): string => new Date(ms).toISOString()

/** Throughput, failures, waiting and running times, audio and credits of a window of time; each chart with its table. */
export const StatisticsPage = () => (
  <Page title="Statistics">
    <Statistics whose={NONE} />
  </Page>
)

/** Those of the account that `whose` names, or of all together: for operators. */
export function Statistics({ whose }: { whose: Whose }) {
  const { query } = useAddress()
  const isCompared = query.compare !== 'off'
  // A range up to now moves on with every minute that the page is looked at.
  const minute = Math.ceil(now.value / MINUTE_MS) * MINUTE_MS
  const window = useMemo(() => windowOf(query, minute), [JSON.stringify(query), query.from ? 0 : minute])
  const { endpoint, key } = query
  const { filter: which, dropped } = useMemo(() => filterOf({ endpoint, key }, 0), [endpoint, key])
  const { from, to, step } = window
  const beforeFrom = iso(2 * from - to)
  const variables = {
    from: iso(from),
    to: iso(to),
    beforeFrom,
    step,
    timeZone: Intl.DateTimeFormat('en').resolvedOptions().timeZone,
    which,
    filter: { ...which, createdAt: { from: iso(from), to: iso(to) } },
    filterBefore: { ...which, createdAt: { from: beforeFrom, to: iso(from) } },
    compared: isCompared,
    ...whose,
  }
  const list = useQuery(statistics, variables)
  return (
    <>
      <WindowBar window={window} isOwn={whose === NONE} />
      <DroppedNotice names={[...dropped, ...droppedOf(query)]} />
      <Load query={list} skeleton={<SkeletonRows rows={6} />}>
        {(data) =>
          isEmpty(data) ? <NoJobs {...{ window, whose, which }} /> : <Figures {...{ data, window, whose, variables }} />
        }
      </Load>
    </>
  )
}

/** Jobs may end in a window that they were not accepted in. */
const isEmpty = ({ total, series }: StatisticsQuery): boolean =>
  (total[0]?.jobs ?? 0) === 0 &&
  series.points.every(({ completed, failed, waiting }) => completed + failed + waiting === 0)

interface NoJobsProps {
  readonly window: TimeWindow
  readonly whose: Whose
  readonly which: Asked['which']
}

/** Leads to the nearest window that has some, if any has. */
function NoJobs({ window, whose, which }: NoJobsProps) {
  const { change } = useAddress()
  const { from, to } = window
  const { data } = useQuery(nearestJobs, {
    before: { ...which, createdAt: { to: iso(from) } },
    after: { ...which, createdAt: { from: iso(to) } },
    ...(whose.account && { account: whose.account }),
    isOwn: whose === NONE,
  })
  const found = Object.values(data ?? {}).flatMap(
    (jobs) => jobs?.edges.map(({ node }) => Date.parse(node.createdAt)) ?? [],
  )
  const near = nearest(window, found, timeNow())
  return (
    <Empty
      title="No jobs in this time"
      action={
        <>
          {near && (
            <button type="button" class="button primary" onClick={() => change(addressOfWindow(...near))}>
              Show them
            </button>
          )}
          <a class="button" href={at('/playground')}>
            Open the playground
          </a>
        </>
      }
    >
      {data === null
        ? 'Choose another one.'
        : near
          ? `The nearest ones are between ${exactTime(iso(near[0]))} and ${exactTime(iso(near[1]))}.`
          : 'There are none at any other time either.'}
    </Empty>
  )
}

interface FiguresProps {
  readonly data: StatisticsQuery
  readonly window: TimeWindow
  readonly whose: Whose
  readonly variables: Asked
}

function Figures({ data, window, whose, variables }: FiguresProps) {
  const { endpoint, key } = useAddress().query
  const [total] = data.total
  const sums = useQuery(statisticsSums, { ...variables, groupBy: [sumStepOf(window) === DAY_MS ? 'DAY' : 'HOUR'] })
  const which = { ...(endpoint && { endpoint }), ...(key && { key }) }
  const jobsOf = (filter: Record<string, string>) => at(jobsAddress(whose, window, { ...which, ...filter }))
  return (
    <>
      <Totals data={data} />
      <div class="cards">
        <Charts data={data} window={window}>
          <Latencies wait={total?.waitMs ?? null} run={total?.runMs ?? null} />
          <Breakdown errors={data.errors} jobsOf={jobsOf} />
        </Charts>
        <MoreCharts window={window} query={sums} />
        <GroupsCard filter={variables.filter} whose={whose} jobsOf={jobsOf} />
      </div>
      <SaveButton {...{ data, window }} sums={sums.isOther ? null : sums.data} />
    </>
  )
}

interface SaveButtonProps {
  readonly data: StatisticsQuery
  /** Null: not loaded yet. */
  readonly sums: StatisticsSumsQuery | null
  readonly window: TimeWindow
}

const SaveButton = ({ data: { series }, sums, window }: SaveButtonProps) => (
  <button
    type="button"
    class="button small below"
    aria-disabled={sums === null}
    onClick={() => sums && saveText(stepsCsv(series, sums, window), 'statistics.csv')}
  >
    <Icon name="download" size={14} /> All charts by step as CSV
  </button>
)
