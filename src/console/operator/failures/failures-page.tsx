import { useMemo } from 'preact/hooks'
import { at } from '../../api/base.ts'
import { now } from '../../api/clock.ts'
import { useQuery } from '../../api/use-query.ts'
import { type FailuresQuery, failures } from '../../operations.ts'
import { Tile } from '../../overview/tile.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Segments } from '../../parts/field.tsx'
import { count, exactTime, sentence } from '../../parts/format.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { jobsAddress } from '../../statistics/jobs-address.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { AllFailuresCard, FailureCard } from './failure-card.tsx'
import { failureGroups, sumOf } from './failure-groups.ts'
import { FAILURE_RANGES, type FailureWindow, failureWindowOf, isByHour, stepsOf } from './failure-window.ts'

const MINUTE_MS = 60_000
const ALL = { all: true }
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
  // A range up to now moves on with every minute that the page is looked at.
  const minute = Math.ceil(now.value / MINUTE_MS) * MINUTE_MS
  const window = useMemo(() => failureWindowOf(query, minute), [JSON.stringify(query), query.from ? 0 : minute])
  const [from, to] = [iso(window.from), iso(window.to)]
  const list = useQuery(failures, {
    from,
    to,
    filter: { statuses: ['FAILED'], createdAt: { from, to } },
    groupBy: [isByHour(window) ? 'HOUR' : 'DAY', 'ERROR_CODE', 'ENDPOINT'],
  })
  return (
    <OperatorScreen title="Failures" tab="failures">
      <RangeBar window={window} />
      <Load query={list} skeleton={<SkeletonRows rows={6} />}>
        {(data) =>
          data.trend.length === 0 ? (
            <Empty title="No job failed">Choose a longer time to see what failed before.</Empty>
          ) : (
            <Groups {...{ data, window }} />
          )
        }
      </Load>
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

function Groups({ data, window }: { data: FailuresQuery; window: FailureWindow }) {
  const steps = stepsOf(window)
  const groups = failureGroups(data, steps)
  const line = sumOf(groups, steps)
  const formatTime = (ms: number): string => (isByHour(window) ? hour : day).format(ms)
  const [most] = groups
  return (
    <>
      <div class="tiles">
        <Tile
          name="Failed jobs"
          value={count(line.reduce((sum, jobs) => sum + jobs, 0))}
          note={isByHour(window) ? 'hour by hour' : 'day by day, of UTC'}
        />
        <Tile name="True causes" value={count(data.failureCauses.length)} note="at most 100 are told apart" />
        <Tile name="Most frequent" value={most ? sentence(most.errorCode) : '–'} note={most?.endpointKey ?? ''} />
      </div>
      <div class="cards">
        <AllFailuresCard {...{ line, steps, formatTime }} />
        {groups.map((group) => (
          <FailureCard
            key={`${group.errorCode} ${group.endpointKey}`}
            {...{ group, steps, formatTime }}
            href={at(jobsAddress(ALL, window, { error: group.errorCode.toLowerCase(), endpoint: group.endpointKey }))}
          />
        ))}
      </div>
    </>
  )
}
