import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { comebacks } from '../api/follow.ts'
import { useEvery } from '../api/use-every.ts'
import { useQuery } from '../api/use-query.ts'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import { type WebhookDayQuery, webhookDay } from '../operations.ts'
import { Tile } from '../overview/tile.tsx'
import { count, duration, share, shortCount } from '../parts/format.ts'
import { Load } from '../parts/load.tsx'
import { deliveriesNow } from '../shell/account-live.ts'
import { rangeOf } from '../windows/time-window.ts'
import { countingPause } from './counting-pause.ts'

/** The day moves on whatever changes. */
const MOVED_MS = 300_000
/** Beyond this number the service reads attempts of the newest deliveries only. */
const TIMED_DELIVERIES = 10_000

/** Shows the outcomes of the last 24 hours, counted as the list below counts them with this filter. */
export function LastDay() {
  const [looks, setLooks] = useState(0)
  const createdAt = useMemo(() => rangeOf('24h', timeNow()), [looks, comebacks.value])
  const query = useQuery(webhookDay, { createdAt })
  const tookMs = useMemo(() => (query.data === null ? 0 : performance.now() - query.askedAt), [query.data])
  const missed = useRef(false)
  // To ask anew would drop the answer that is on its way: one that takes long would never be seen.
  const again = (): void => {
    missed.current = query.isLoading
    if (query.isLoading) return
    setLooks((before) => before + 1)
    query.reload()
  }
  useEffect(() => {
    if (query.isLoading || !missed.current) return
    const timer = setTimeout(again, countingPause(tookMs))
    return () => clearTimeout(timer)
  }, [query.isLoading])
  // No message reports changes from before the subscription, so the first one counts as a change.
  useCalmReload(deliveriesNow.value ?? 'not followed yet', countingPause(tookMs), again)
  useEvery(MOVED_MS, true, again)
  return (
    <section class="section" aria-labelledby="last-day">
      <h2 id="last-day" class="section-head">
        Last 24 hours
      </h2>
      <Load query={query} skeleton={<NoFigures />}>
        {({ webhookStats }) => <Figures stats={webhookStats} />}
      </Load>
    </section>
  )
}

/** As high as the figures: what stands below them stays where it is. */
const NoFigures = () => (
  <div class="tiles">
    {['Delivered', 'Failed', 'Under way', 'Median attempt'].map((name) => (
      <Tile key={name} name={name} value="–" note={'\u00a0'} />
    ))}
  </div>
)

function Figures({ stats }: { stats: WebhookDayQuery['webhookStats'] }) {
  const { pending, succeeded, failed, attempts, medianAttemptMs } = stats
  const ended = succeeded + failed
  const timed =
    ended + pending > TIMED_DELIVERIES ? `the newest ${count(TIMED_DELIVERIES)} deliveries` : attemptsOf(attempts)
  return (
    <div class="tiles">
      <Tile
        name="Delivered"
        value={shortCount(succeeded)}
        note={ended === 0 ? 'none has ended' : `${share(succeeded / ended)} of those that ended`}
      />
      <Tile name="Failed" value={shortCount(failed)} note="no attempt follows" />
      <Tile name="Under way" value={shortCount(pending)} note="first attempts and retries" />
      <Tile name="Median attempt" value={duration(medianAttemptMs)} note={`of ${timed}`} />
    </div>
  )
}

const attemptsOf = (attempts: number): string => `${count(attempts)} ${attempts === 1 ? 'attempt' : 'attempts'}`
