/** A group of jobs of one hour or day with one status. */
interface Group {
  readonly hour?: string | null
  readonly day?: string | null
  readonly status?: string | null
  readonly jobs: number
  readonly audioSeconds?: number | null
  readonly credits?: number | null
}

/** What happened within one step of time. */
export interface Bucket {
  /** Its beginning, in milliseconds. */
  readonly at: number
  readonly jobs: number
  readonly failed: number
  readonly audioMinutes: number
  readonly credits: number
}

export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** One bucket a step from `from` to `to`, both in milliseconds; steps without jobs are there, and empty. */
export function toBuckets(groups: readonly Group[], from: number, to: number, stepMs: number): Bucket[] {
  const byStart = Map.groupBy(groups, ({ hour, day }) => Date.parse(hour ?? day ?? ''))
  const first = Math.floor(from / stepMs) * stepMs
  const length = Math.max(0, Math.ceil((to - first) / stepMs))
  return Array.from({ length }, (_, index) => {
    const at = first + index * stepMs
    const inside = byStart.get(at) ?? []
    const sum = (of: (group: Group) => number | null | undefined): number =>
      inside.reduce((total, group) => total + (of(group) ?? 0), 0)
    return {
      at,
      jobs: sum(({ jobs }) => jobs),
      failed: sum(({ status, jobs }) => (status === 'FAILED' ? jobs : 0)),
      audioMinutes: sum(({ audioSeconds }) => audioSeconds) / 60,
      credits: sum(({ credits }) => credits),
    }
  })
}

/** The ranges that are offered, each with the step that gives a readable number of buckets. */
export const RANGES = {
  '24h': { hours: 24, stepMs: HOUR_MS, name: '24 hours' },
  '7d': { hours: 168, stepMs: HOUR_MS, name: '7 days' },
  '30d': { hours: 720, stepMs: DAY_MS, name: '30 days' },
  '90d': { hours: 2160, stepMs: DAY_MS, name: '90 days' },
} as const

export type RangeName = keyof typeof RANGES
export const isRange = (name: string | undefined): name is RangeName =>
  name !== undefined && Object.hasOwn(RANGES, name)
