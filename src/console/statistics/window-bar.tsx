import { Segments } from '../parts/field.tsx'
import { exactTime } from '../parts/format.ts'
import { useAddress } from '../parts/use-address.ts'
import { addressOfWindow, moved, RANGES, type RangeName, type TimeWindow, zoomed } from './window.ts'

/** Which stretch of time is shown: a range up to now, or one that was zoomed or moved to; all of it in the address. */
export function WindowBar({ window }: { window: TimeWindow }) {
  const { query, change } = useAddress()
  const isCompared = query.compare !== 'off'
  const go = ([from, to]: [number, number]): void => change(addressOfWindow(from, to))
  return (
    <div class="toolbar">
      <Segments
        label="Range"
        value={window.range ?? ('' as RangeName)}
        onChange={(range) => change({ range: range === '24h' ? null : range, from: null, to: null })}
        options={Object.entries(RANGES).map(([name, [, text]]) => [name as RangeName, text])}
      />
      <div class="row">
        <button type="button" class="button" onClick={() => go(moved(window, -1, Date.now()))}>
          Earlier
        </button>
        <button
          type="button"
          class="button"
          disabled={window.range !== null}
          onClick={() => go(moved(window, 1, Date.now()))}
        >
          Later
        </button>
        <button type="button" class="button" onClick={() => go(zoomed(window, 0.5, Date.now()))}>
          Zoom in
        </button>
        <button type="button" class="button" onClick={() => go(zoomed(window, 2, Date.now()))}>
          Zoom out
        </button>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={isCompared}
          onChange={() => change({ compare: isCompared ? 'off' : null }, true)}
        />
        Compare with the window before
      </label>
      {window.range === null && (
        <p class="faint window-ends">
          {exactTime(new Date(window.from).toISOString())} – {exactTime(new Date(window.to).toISOString())}
        </p>
      )}
    </div>
  )
}
