import { firstIdAt } from '../../values/id.ts'

/** At least one of the two. */
interface OpenWindow {
  /** Inclusive. */
  readonly from?: Date | null | undefined
  /** Exclusive. */
  readonly to?: Date | null | undefined
}

interface Counts {
  /** An account's jobs of all times that match otherwise, as the counters know them. */
  readonly all: string
  /** A count of those whose id meets a condition. */
  count(condition: string): string
  parameter(value: string): string
}

/**
 * How many jobs a window of time holds, exactly, as SQL. The jobs of all times are known from the counters of the same snapshot, so either
 * the window is counted or what lies outside of it: whichever is less of the time since the account's oldest job. Jobs are spread evenly
 * enough that this is the side with fewer of them; where they are not, it only takes longer.
 */
export function windowTotal({ from, to }: OpenWindow, now: Date, { all, count, parameter }: Counts): string {
  const inside = [...(from ? [`id >= ${idAt(from, parameter)}`] : []), ...(to ? [`id < ${idAt(to, parameter)}`] : [])]
  const outside = [...(from ? [`id < ${idAt(from, parameter)}`] : []), ...(to ? [`id >= ${idAt(to, parameter)}`] : [])]
  const rest = outside.map((condition) => ` - ${count(condition)}`).join('')
  return `case when (select id from job where account_id = $1 order by id limit 1) ${isMostOfTime({ from, to }, now, parameter)}
    then ${all}${rest} else ${count(inside.join(' and '))} end`
}

const idAt = (time: Date, parameter: Counts['parameter']): string => parameter(firstIdAt('job', time))

/** What is to be true of the account's oldest id where the window is longer than the rest of the time from it until now. */
function isMostOfTime({ from, to }: OpenWindow, now: Date, parameter: Counts['parameter']): string {
  const end = Math.min(to?.getTime() ?? Number.POSITIVE_INFINITY, now.getTime())
  const at = (ms: number) => idAt(new Date(ms), parameter)
  // now - end < end - oldest
  if (!from) return `< ${at(2 * end - now.getTime())}`
  // from - oldest + now - end < end - from
  return `> ${at(2 * Math.min(from.getTime() - end, 0) + now.getTime())}`
}
