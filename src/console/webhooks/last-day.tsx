import { useMemo, useState } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { comebacks } from '../api/follow.ts'
import { useQuery } from '../api/use-query.ts'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import { type WebhookDayQuery, webhookDay } from '../operations.ts'
import { Tile } from '../overview/tile.tsx'
import { count, duration, share, shortCount } from '../parts/format.ts'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { deliveriesNow } from '../shell/account-live.ts'
import { rangeOf } from '../windows/time-window.ts'

/** So long after deliveries have changed they are counted anew, all of the day: a long read. */
const CHANGED_MS = 5000

/** What became of the deliveries of the last 24 hours, as the list below counts them with this filter. */
export function LastDay() {
  const [looks, setLooks] = useState(0)
  const createdAt = useMemo(() => rangeOf('24h', timeNow()), [looks, comebacks.value])
  const query = useQuery(webhookDay, { createdAt })
  useCalmReload(deliveriesNow.value, CHANGED_MS, () => {
    setLooks(looks + 1)
    query.reload()
  })
  return (
    <section class="section" aria-labelledby="last-day">
      <h2 id="last-day" class="section-head">
        Last 24 hours
      </h2>
      <Load query={query} skeleton={<SkeletonRows rows={2} />}>
        {({ webhookStats }) => <Figures stats={webhookStats} />}
      </Load>
    </section>
  )
}

function Figures({ stats }: { stats: WebhookDayQuery['webhookStats'] }) {
  const { pending, succeeded, failed, attempts, medianAttemptMs } = stats
  const ended = succeeded + failed
  return (
    <div class="tiles">
      <Tile
        name="Delivered"
        value={shortCount(succeeded)}
        note={ended === 0 ? 'none has ended' : `${share(succeeded / ended)} of those that ended`}
      />
      <Tile name="Failed" value={shortCount(failed)} note="given up after their last attempt" />
      <Tile name="Under way" value={shortCount(pending)} note="first attempts and retries" />
      <Tile
        name="Median attempt"
        value={duration(medianAttemptMs)}
        note={attempts === 1 ? 'of 1 attempt' : `of ${count(attempts)} attempts`}
      />
    </div>
  )
}
