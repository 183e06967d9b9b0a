import { timeNow } from '../api/clock.ts'
import { Segments } from '../parts/field.tsx'
import { exactTime } from '../parts/format.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { useAddress } from '../parts/use-address.ts'
import { WhichJobs } from './which-jobs.tsx'
import { addressOfWindow, moved, RANGES, type RangeName, type TimeWindow, zoomed } from './window.ts'

/** Which stretch of time is shown, a range up to now or one that was zoomed or moved to, and of which jobs; all of it in the address. */
export function WindowBar({ window, isOwn }: { window: TimeWindow; isOwn: boolean }) {
  const { query, change } = useAddress()
  const isCompared = query.compare !== 'off'
  const go = ([from, to]: [number, number]): void => change(addressOfWindow(from, to))
  return (
    <div class="toolbar window-bar">
      <Segments
        label="Range"
        value={window.range ?? ('' as RangeName)}
        onChange={(range) => change({ range: range === '24h' ? null : range, from: null, to: null })}
        options={Object.entries(RANGES).map(([name, [, text]]) => [name as RangeName, text])}
      />
      <div class="row steps-row">
        <Step name="Earlier" icon="left" onPress={() => go(moved(window, -1, timeNow()))} />
        <Step name="Later" icon="right" isOff={window.range !== null} onPress={() => go(moved(window, 1, timeNow()))} />
        <Step name="Zoom in" icon="plus" onPress={() => go(zoomed(window, 0.5, timeNow()))} />
        <Step name="Zoom out" icon="minus" onPress={() => go(zoomed(window, 2, timeNow()))} />
      </div>
      <label class="check" title="Compare with the time before">
        <input
          type="checkbox"
          aria-label="Compare with the time before"
          checked={isCompared}
          onChange={() => change({ compare: isCompared ? 'off' : null }, true)}
        />
        Compare
      </label>
      <WhichJobs isOwn={isOwn} />
      {window.range === null && (
        <p class="faint window-ends">
          {exactTime(new Date(window.from).toISOString())} – {exactTime(new Date(window.to).toISOString())}
        </p>
      )}
    </div>
  )
}

interface StepProps {
  readonly name: string
  readonly icon: IconName
  readonly isOff?: boolean
  readonly onPress: () => void
}

const Step = ({ name, icon, isOff = false, onPress }: StepProps) => (
  <button type="button" class="button only-icon" aria-label={name} title={name} aria-disabled={isOff} onClick={onPress}>
    <Icon name={icon} />
  </button>
)
