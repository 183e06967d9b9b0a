import { isRolledUp, rollUpSource } from '../rollup/rollup-source.ts'
import { conditionsOf, counterConditions, isCounted, type Parameter } from './filter-conditions.ts'
import type { JobsFilter } from './jobs-filter.ts'
import { type JobsOwner, ownedBy } from './jobs-owner.ts'

/**
 * How many of the owner's jobs match, exactly, as what follows a SELECT: from the counters where these know, else from the roll-up; only
 * what neither distinguishes (prefix, duration, end) is counted one by one, within a range of an index.
 */
export function totalOf(owner: JobsOwner, filter: JobsFilter, parameter: Parameter): string {
  if (isCounted(filter))
    return `coalesce(sum(jobs), 0) from job_count where ${[...ownedBy(owner, parameter), ...counterConditions(filter)].join(' and ')}`
  if (!isRolledUp(filter))
    return `count(*) from job where ${[...ownedBy(owner, parameter), ...conditionsOf(filter, parameter)].join(' and ')}`
  const source = rollUpSource({ owner, filter, finest: 'all', sums: [], parameter })
  return `coalesce(sum(jobs), 0) from ${source} p`
}
