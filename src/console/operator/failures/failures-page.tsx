import { useMemo } from 'preact/hooks'
import { now } from '../../api/clock.ts'
import { useQuery } from '../../api/use-query.ts'
import { DroppedNotice } from '../../jobs/jobs-toolbar.tsx'
import { failureTrend, windowCauses } from '../../operations.ts'
import { Tile } from '../../overview/tile.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Segments } from '../../parts/field.tsx'
import { count, exactTime, sentence } from '../../parts/format.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { AllFailuresCard } from './failure-card.tsx'
import { FailureCards } from './failure-cards.tsx'
import { type FailureGroup, failureGroups, sumOf } from './failure-groups.ts'
import {
  droppedOf,
  FAILURE_RANGES,
  type FailureWindow,
  failureWindowOf,
  isByHour,
  lookOf,
  stepsOf,
} from './failure-window.ts'

const SKELETON = <SkeletonRows rows={6} />
const iso = (ms: number): string => new Date(ms).toISOString()
const hour = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})
/** The service's days are those of UTC. */
const day = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Why jobs of all accounts failed, by code and endpoint, with the true causes and how often each came over time. */
export function FailuresPage() {
  const { query } = useAddress()
  const latest = failureWindowOf(query, now.value)
  // A range up to now moves on with every step that the page is looked at: what counts all failures of a month is not asked every minute.
  const window = useMemo(() => latest, [JSON.stringify(query), lookOf(latest)])
  return (
    <OperatorScreen title="Failures" tab="failures">
      <RangeBar window={window} />
      <DroppedNotice names={droppedOf(query)} />
      <Failures window={window} />
    </OperatorScreen>
  )
}

function RangeBar({ window }: { window: FailureWindow }) {
  const { change } = useAddress()
  return (
    <div class="toolbar">
      <Segments
        label="Range"
        value={window.range ?? ''}
        onChange={(range) => change({ range: range === '24h' ? null : range, from: null, to: null })}
        options={Object.entries(FAILURE_RANGES).map(([name, [, text]]) => [name, text] as const)}
      />
      {window.range === null && (
        <p class="faint small-text">
          {exactTime(iso(window.from))} – {exactTime(iso(window.to))}
        </p>
      )}
    </div>
  )
}

/** The trend and the causes, each as soon as it is answered, and though the other one fails. */
function Failures({ window }: { window: FailureWindow }) {
  const [from, to] = [iso(window.from), iso(window.to)]
  const trend = useQuery(failureTrend, {
    filter: { statuses: ['FAILED'], createdAt: { from, to } },
    groupBy: [isByHour(window) ? 'HOUR' : 'DAY', 'ERROR_CODE', 'ENDPOINT'],
  })
  const causes = useQuery(windowCauses, { from, to })
  const steps = stepsOf(window)
  const found = causes.data?.failureCauses ?? null
  const groups = useMemo(
    () => failureGroups(trend.data?.trend ?? null, found, steps),
    [trend.data, found, steps.join(' ')],
  )
  const formatTime = (ms: number): string => (isByHour(window) ? hour : day).format(ms)
  return (
    <>
      <Load query={trend} skeleton={SKELETON}>
        {({ trend: parts }) =>
          parts.length === 0 ? (
            <Empty title="No job failed">Choose a longer time to see what failed before.</Empty>
          ) : (
            <Overview {...{ groups, window, steps, formatTime }} causes={found?.length ?? null} />
          )
        }
      </Load>
      <Load query={causes} skeleton={SKELETON}>
        {() => null}
      </Load>
      <div class="cards below" inert={trend.isOther || causes.isOther}>
        <FailureCards {...{ groups, window, steps, formatTime }} />
      </div>
    </>
  )
}

interface OverviewProps {
  readonly groups: readonly FailureGroup[]
  readonly window: FailureWindow
  readonly steps: readonly number[]
  readonly formatTime: (ms: number) => string
  /** How many were told apart; null: not answered. */
  readonly causes: number | null
}

function Overview({ groups, window, steps, formatTime, causes }: OverviewProps) {
  const line = sumOf(groups, steps)
  const [most] = groups
  return (
    <>
      <div class="tiles">
        <Tile
          name="Failed jobs"
          value={count(line.reduce((sum, jobs) => sum + jobs, 0))}
          note={isByHour(window) ? 'hour by hour' : 'day by day, of UTC'}
        />
        <Tile
          name="Causes"
          value={causes === null ? '–' : count(causes)}
          note={causes === null ? 'not counted yet' : 'at most 100 are told apart'}
        />
        <Tile name="Most frequent" value={most ? sentence(most.errorCode) : '–'} note={most?.endpointKey ?? ''} />
      </div>
      <div class="cards">
        <AllFailuresCard {...{ line, steps, formatTime }} />
      </div>
    </>
  )
}
