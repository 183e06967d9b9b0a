import { useState } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { endsOf } from '../jobs/jobs-filter.ts'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { useAddress } from '../parts/use-address.ts'
import { isBefore, LATEST_LOCAL_TIME, localTime, timeOfField } from './local-time.ts'
import { rangeOf } from './time-window.ts'

const TOO_EARLY = 'Choose a later time than the beginning.'

/** The window that a list is filtered by, by its ends: each may be left open. They begin as those of the window that is chosen. */
export function OwnWindowDialog({ onClose }: { onClose: () => void }) {
  const { query, change } = useAddress()
  const [filled] = useState(() => rangeOf(query.window, timeNow()) ?? endsOf(query) ?? {})
  const [from, setFrom] = useState(localTime(filled.from))
  const [to, setTo] = useState(localTime(filled.to))
  const [isTooEarly, setTooEarly] = useState(false)
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    const ends = { from: timeOfField(from, filled.from), to: timeOfField(to, filled.to) }
    const isEmpty = ends.from !== null && ends.to !== null && !isBefore(ends.from, ends.to)
    setTooEarly(isEmpty)
    if (isEmpty) return
    onClose()
    change({ window: null, ...ends, after: null, before: null })
  }
  const { timeZone } = new Intl.DateTimeFormat('en').resolvedOptions()
  const field = { type: 'datetime-local', max: LATEST_LOCAL_TIME } as const
  return (
    <Dialog title="Custom time" onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        <TextField label="From" hint={`In the time zone ${timeZone}.`} {...field} value={from} onText={setFrom} />
        <TextField
          label="Until"
          hint="This moment is not part of it. Empty: until now."
          error={isTooEarly ? TOO_EARLY : undefined}
          {...field}
          value={to}
          onText={setTo}
        />
        <div class="row end">
          <button type="submit" class="button primary">
            Show
          </button>
        </div>
      </form>
    </Dialog>
  )
}
