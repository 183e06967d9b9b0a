import { useMemo } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import type { StatisticsQuery } from '../operations.ts'
import { duration, shortCount } from '../parts/format.ts'
import { useAddress } from '../parts/use-address.ts'
import { ChartCard } from './chart-card.tsx'
import { lineOf, type Measure } from './series.ts'
import { addressOfWindow, DAY_MS, drawn, HOUR_MS, type TimeWindow } from './window.ts'

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hour12: false })
const hour = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})
const day = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short' })

const minutes = (value: number): string => (value < 10 && value > 0 ? value.toFixed(1) : shortCount(Math.round(value)))

/** What each chart shows of a step. */
const ACCEPTED: Measure = ({ accepted }) => accepted
const FAILED: Measure = ({ failed }) => failed
const AUDIO: Measure = ({ audioSeconds }) => audioSeconds / 60
const WAITING: Measure = ({ waiting }) => waiting
const WAIT: Measure = ({ waitMs }) => waitMs?.p95 ?? null
const RUN: Measure = ({ runMs }) => runMs?.p95 ?? null

/** The lines of a window; what is drawn over any of them becomes the window. */
export function Charts({ data, window }: { data: StatisticsQuery; window: TimeWindow }) {
  const { change } = useAddress()
  const points = data.series.points
  const before = data.seriesBefore?.points ?? null
  const lines = useMemo(
    () => [ACCEPTED, FAILED, AUDIO, WAIT, RUN, WAITING].map((measure) => lineOf(points, before, measure)),
    [points, before],
  )
  const [accepted, failed, audio, wait, run, waiting] = lines
  const common = {
    formatTime: (ms: number) => formatFor(window).format(new Date(ms)),
    onZoom: (from: number, to: number) => change(addressOfWindow(...drawn(from, to, timeNow()))),
  }
  return (
    <>
      <ChartCard title="Jobs accepted" line={accepted!} format={shortCount} {...common} />
      <div class="halves flush">
        <ChartCard title="Failures" tone="red" line={failed!} format={shortCount} {...common} />
        <ChartCard title="Minutes of audio" line={audio!} format={minutes} {...common} />
      </div>
      <div class="halves flush">
        <ChartCard title="Wait, p95" shape="line" line={wait!} format={duration} {...common} />
        <ChartCard title="Run, p95" shape="line" line={run!} format={duration} {...common} />
      </div>
      <ChartCard title="Jobs waiting" shape="steps" line={waiting!} format={shortCount} {...common} />
    </>
  )
}

const formatFor = ({ from, to, stepMs }: TimeWindow): Intl.DateTimeFormat =>
  to - from <= DAY_MS && stepMs < HOUR_MS ? clock : stepMs < DAY_MS ? hour : day
