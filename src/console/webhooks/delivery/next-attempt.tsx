import { useMemo } from 'preact/hooks'
import { timeNow } from '../../api/clock.ts'
import { useSecondsLeft } from '../../api/use-seconds-left.ts'
import { duration, exactTime } from '../../parts/format.ts'

/** When a delivery is attempted next, counted down. @param at by the service's clock; null: no attempt follows */
export function NextAttempt({ at }: { at: string | null }) {
  const until = useMemo(() => (at === null ? null : Date.parse(at) - timeNow() + Date.now()), [at])
  const seconds = useSecondsLeft(until)
  if (at === null) return <>none</>
  return (
    <time dateTime={at} title={exactTime(at)}>
      {seconds === 0 ? 'now' : `in ${seconds < 60 ? `${seconds} s` : duration(seconds * 1000)}`}
    </time>
  )
}
