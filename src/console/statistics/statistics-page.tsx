import { useMemo } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { saveText, toCsv } from '../jobs/csv.ts'
import { type StatisticsQuery, statistics } from '../operations.ts'
import { Tile } from '../overview/overview-page.tsx'
import { Empty } from '../parts/empty.tsx'
import { Segments } from '../parts/field.tsx'
import { count, duration, share, shortCount } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { useAddress } from '../parts/use-address.ts'
import { Breakdown, EndpointsTable, Latencies } from './breakdowns.tsx'
import { ChartCard } from './chart-card.tsx'
import { type Bucket, HOUR_MS, isRange, RANGES, toBuckets } from './series.ts'

const MINUTE_MS = 60_000

/** Throughput, failures, waiting and running times, audio and credits of a window of time; each chart with its table. */
export function StatisticsPage() {
  const { query, change } = useAddress()
  const range = isRange(query.range) ? query.range : '24h'
  const { hours, stepMs } = RANGES[range]
  const [from, to] = useMemo(() => {
    const now = Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS
    return [now - hours * HOUR_MS, now] as const
  }, [range])
  const filter = { createdAt: { from: new Date(from).toISOString() } }
  const list = useQuery(statistics, { filter, step: [stepMs === HOUR_MS ? 'HOUR' : 'DAY', 'STATUS'] })
  return (
    <Page
      title="Statistics"
      actions={
        <Segments
          label="Range"
          value={range}
          onChange={(value) => change({ range: value === '24h' ? null : value })}
          options={Object.entries(RANGES).map(([name, { name: text }]) => [name as typeof range, text])}
        />
      }
    >
      <Load query={list} skeleton={<SkeletonRows rows={6} />}>
        {(data) =>
          (data.total[0]?.jobs ?? 0) === 0 ? (
            <Empty title="No jobs in this window">
              Choose a longer one, or speak something in the playground: its figures are here a moment later.
            </Empty>
          ) : (
            <Figures data={data} buckets={toBuckets(data.series, from, to, stepMs)} />
          )
        }
      </Load>
    </Page>
  )
}

function Figures({ data, buckets }: { data: StatisticsQuery; buckets: readonly Bucket[] }) {
  const [total] = data.total
  const failed = buckets.reduce((sum, bucket) => sum + bucket.failed, 0)
  const jobs = total?.jobs ?? 0
  const audioMs = (total?.audioSeconds ?? 0) * 1000
  return (
    <>
      <div class="tiles">
        <Tile name="Jobs" value={shortCount(jobs)} note={`${shortCount(total?.characters ?? 0)} characters`} />
        <Tile name="Without failure" value={share(1 - failed / Math.max(1, jobs))} note={`${count(failed)} failed`} />
        <Tile
          name="Wait, p95"
          value={duration(total?.waitMs?.p95)}
          note={`half of them below ${duration(total?.waitMs?.p50)}`}
        />
        <Tile name="Audio made" value={duration(audioMs)} note={`${shortCount(total?.credits ?? 0)} credits`} />
      </div>
      <div class="cards">
        <ChartCard title="Jobs" buckets={buckets} of={(bucket) => bucket.jobs} format={shortCount} />
        <div class="halves flush">
          <ChartCard title="Failures" tone="red" buckets={buckets} of={(bucket) => bucket.failed} format={shortCount} />
          <ChartCard title="Minutes of audio" buckets={buckets} of={(bucket) => bucket.audioMinutes} format={minutes} />
        </div>
        <div class="halves flush">
          <Latencies wait={total?.waitMs ?? null} run={total?.runMs ?? null} />
          <Breakdown errors={data.errors} />
        </div>
        <EndpointsTable endpoints={data.endpoints} />
      </div>
      <button type="button" class="button small below" onClick={() => save(buckets)}>
        <Icon name="download" size={14} /> All of it as CSV
      </button>
    </>
  )
}

const minutes = (value: number): string => (value < 10 && value > 0 ? value.toFixed(1) : shortCount(Math.round(value)))

const save = (buckets: readonly Bucket[]): void =>
  saveText(
    toCsv(
      ['time', 'jobs', 'failed', 'audioMinutes', 'credits'],
      buckets.map((bucket) => ({ ...bucket, time: new Date(bucket.at).toISOString() })),
    ),
    'statistics.csv',
  )
