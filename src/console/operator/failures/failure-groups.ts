import type { CauseRowFragment, FailuresQuery, JobErrorCode } from '../../operations.ts'

/** The failures of an endpoint with one code. */
export interface FailureGroup {
  readonly errorCode: JobErrorCode
  readonly endpointKey: string
  readonly jobs: number
  /** How many there were in each step. */
  readonly line: readonly number[]
  /** Most frequent first; the service names the hundred most frequent ones of all groups. */
  readonly causes: readonly CauseRowFragment[]
}

/** The causes by code and endpoint, with how each group went step by step; the largest group first. */
export function failureGroups({ failureCauses, trend }: FailuresQuery, steps: readonly number[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup & { line: number[] }>()
  for (const { errorCode, endpointKey, jobs, hour, day } of trend) {
    if (!errorCode || !endpointKey) continue
    const key = keyOf(errorCode, endpointKey)
    const group = groups.get(key) ?? { errorCode, endpointKey, jobs: 0, line: steps.map(() => 0), causes: [] }
    const step = steps.indexOf(Date.parse(hour ?? day ?? ''))
    if (step !== -1) group.line[step] = (group.line[step] ?? 0) + jobs
    groups.set(key, { ...group, jobs: group.jobs + jobs })
  }
  for (const cause of failureCauses) {
    const group = groups.get(keyOf(cause.errorCode, cause.endpointKey))
    // One that failed between the two counts is there at the next look.
    if (group) groups.set(keyOf(cause.errorCode, cause.endpointKey), { ...group, causes: [...group.causes, cause] })
  }
  return [...groups.values()].toSorted((one, other) => other.jobs - one.jobs)
}

/** All groups together, step by step. */
export const sumOf = (groups: readonly FailureGroup[], steps: readonly number[]): number[] =>
  steps.map((_, index) => groups.reduce((sum, { line }) => sum + (line[index] ?? 0), 0))

const keyOf = (errorCode: string, endpointKey: string): string => `${errorCode} ${endpointKey}`
