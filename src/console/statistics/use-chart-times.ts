import { timeNow } from '../api/clock.ts'
import { useAddress } from '../parts/use-address.ts'
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
/** Sums by day are those of UTC. */
const utcDay = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })

/** All charts of a window share the names of times, the zone of days, and the selection that becomes the next window. */
export function useChartTimes(window: TimeWindow, stepMs: number, isUtc = false) {
  const { change } = useAddress()
  const isUtcDay = isUtc && stepMs >= DAY_MS
  const format = formatFor(window, stepMs, isUtcDay)
  return {
    isUtcDay,
    formatTime: (ms: number): string => format.format(ms),
    onZoom: (from: number, to: number): void => change(addressOfWindow(...drawn(from, to, timeNow()))),
  }
}

function formatFor({ from, to }: TimeWindow, stepMs: number, isUtcDay: boolean): Intl.DateTimeFormat {
  if (stepMs >= DAY_MS) return isUtcDay ? utcDay : day
  return to - from <= DAY_MS && stepMs < HOUR_MS ? clock : hour
}
