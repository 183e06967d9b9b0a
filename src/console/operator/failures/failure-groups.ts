import type { CauseRowFragment, FailureTrendQuery, JobErrorCode } from '../../operations.ts'

type Trend = FailureTrendQuery['trend']
type Groups = Map<string, FailureGroup>

/** The failures of an endpoint with one code. */
export interface FailureGroup {
  readonly errorCode: JobErrorCode
  readonly endpointKey: string
  readonly jobs: number
  /** How many there were in each step; null: the trend is not answered. */
  readonly line: readonly number[] | null
  /** Most frequent first; the service names the hundred most frequent ones of all groups. Null: they are not answered. */
  readonly causes: readonly CauseRowFragment[] | null
}

/**
 * The failures by code and endpoint, with the causes of each group and how it went step by step; the largest group first.
 * @param trend null: not answered; the groups are those of the causes, and count their jobs
 * @param causes null: not answered
 */
export function failureGroups(
  trend: Trend | null,
  causes: readonly CauseRowFragment[] | null,
  steps: readonly number[],
): FailureGroup[] {
  const groups: Groups = new Map()
  addTrend(groups, trend ?? [], steps)
  if (causes !== null) addCauses(groups, causes, trend !== null)
  return [...groups.values()].toSorted((one, other) => other.jobs - one.jobs)
}

function addTrend(groups: Groups, trend: Trend, steps: readonly number[]): void {
  for (const { errorCode, endpointKey, jobs, hour, day } of trend) {
    if (!errorCode || !endpointKey) continue
    const key = keyOf(errorCode, endpointKey)
    const group = groups.get(key) ?? { errorCode, endpointKey, jobs: 0, causes: null }
    const line = groups.get(key)?.line ?? steps.map(() => 0)
    const at = steps.indexOf(Date.parse(hour ?? day ?? ''))
    groups.set(key, {
      ...group,
      jobs: group.jobs + jobs,
      line: line.map((before, index) => (index === at ? before + jobs : before)),
    })
  }
}

function addCauses(groups: Groups, causes: readonly CauseRowFragment[], isCounted: boolean): void {
  for (const [key, group] of groups) groups.set(key, { ...group, causes: [] })
  for (const cause of causes) {
    const { errorCode, endpointKey, jobs } = cause
    const key = keyOf(errorCode, endpointKey)
    const group = groups.get(key) ?? { errorCode, endpointKey, jobs: 0, line: null, causes: [] }
    // One that failed between the two counts is there at the next look.
    if (isCounted && !groups.has(key)) continue
    groups.set(key, {
      ...group,
      jobs: isCounted ? group.jobs : group.jobs + jobs,
      causes: [...(group.causes ?? []), cause],
    })
  }
}

/** All groups together, step by step. */
export const sumOf = (groups: readonly FailureGroup[], steps: readonly number[]): number[] =>
  steps.map((_, index) => groups.reduce((sum, { line }) => sum + (line?.[index] ?? 0), 0))

const keyOf = (errorCode: string, endpointKey: string): string => `${errorCode} ${endpointKey}`
