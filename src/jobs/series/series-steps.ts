import type { Context } from '../../context/context.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import { isTimeZone, isUnknownZone } from '../../values/time-zone.ts'

/** Days have 23 to 25 hours. */
const SERIES_STEPS = ['minute', 'five_minutes', 'quarter_hour', 'hour', 'six_hours', 'day'] as const
export type SeriesStep = (typeof SERIES_STEPS)[number]

const SECONDS: Readonly<Record<SeriesStep, number>> = {
  minute: 60,
  five_minutes: 300,
  quarter_hour: 900,
  hour: 3600,
  six_hours: 21_600,
  day: 86_400,
}
const MAX_STEPS = 10_000

interface SeriesWindow {
  readonly from: Date
  readonly to: Date
  readonly step: SeriesStep
  readonly timeZone: string
}

interface Steps {
  readonly step: SeriesStep
  /** Ascending; the first contains the window's beginning. */
  readonly starts: readonly Date[]
}

/**
 * Upper bound for any arguments.
 * @param now its end unless given
 */
export function mostSteps({ from, to, step }: Readonly<Record<string, unknown>>, now: Date): number {
  const timeOf = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : Number.NaN)
  const [begin, end] = [timeOf(from), to == null ? now.getTime() : timeOf(to)]
  const name = SERIES_STEPS.find((one) => typeof step === 'string' && one === step.toLowerCase())
  const seconds = name === undefined ? Number.NaN : SECONDS[name]
  const steps = (end - begin) / 1000 / seconds
  return steps >= 0 && steps < MAX_STEPS ? Math.ceil(steps) + 1 : MAX_STEPS
}

/** @throws INVALID_REQUEST */
export async function stepsOf({ db }: Pick<Context, 'db'>, window: SeriesWindow): Promise<Steps> {
  rejectViolations(window)
  const { from, to, timeZone } = window
  const step = coarseEnough(window)
  if (timeZone === 'UTC') return { step, starts: inUtc(window, SECONDS[step] * 1000) }
  const text =
    step === 'day'
      ? `select t at time zone $3 as at
         from generate_series(date_trunc('day', $1::timestamptz at time zone $3), $2::timestamptz at time zone $3, '1 day') t`
      : `select at from (select make_interval(secs => $4) as step, date_trunc('day', $1::timestamptz, $3) as origin) s
         cross join generate_series(date_bin(s.step, $1, s.origin), $2::timestamptz, s.step) at`
  const values = [from, to, timeZone, ...(step === 'day' ? [] : [SECONDS[step]])]
  const { rows } = await db.pool.query<{ at: Date }>(text, values).catch(refuseUnknownZone)
  return { step, starts: rows.map(({ at }) => at).filter((at) => at < to) }
}

function inUtc({ from, to }: SeriesWindow, stepMs: number): Date[] {
  const first = Math.floor(from.getTime() / stepMs) * stepMs
  return Array.from(
    { length: Math.ceil((to.getTime() - first) / stepMs) },
    (_, step) => new Date(first + step * stepMs),
  )
}

function coarseEnough({ from, to, step }: SeriesWindow): SeriesStep {
  const seconds = (to.getTime() - from.getTime()) / 1000
  const found = SERIES_STEPS.slice(SERIES_STEPS.indexOf(step)).find((one) => seconds / SECONDS[one] <= MAX_STEPS)
  if (found !== undefined) return found
  throw refuse('/from', `must not be more than ${MAX_STEPS} days before to`)
}

function rejectViolations({ from, to, timeZone }: SeriesWindow): void {
  if (from >= to) throw refuse('/from', 'must be before to')
  if (!isTimeZone(timeZone)) throw refuse('/timeZone', 'must be the name of a time zone, such as Europe/Berlin')
}

function refuseUnknownZone(error: unknown): never {
  if (!isUnknownZone(error)) throw error
  throw refuse('/timeZone', 'must be a time zone that the database knows, such as Europe/Berlin')
}

const refuse = (path: string, message: string) =>
  invalidRequest('Invalid arguments: see `details`.', [{ path, message }])
