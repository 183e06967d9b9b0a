import { isRolledUp, rollUpSource } from '../rollup/rollup-source.ts'
import { conditionsOf, counterConditions, isCounted, type Parameter } from './filter-conditions.ts'
import type { JobsFilter } from './jobs-filter.ts'
import { type JobsOwner, ownedBy } from './jobs-owner.ts'

/** SQL of the exact number: from counters, else the roll-up, else row by row. */
export function totalOf(owner: JobsOwner, filter: JobsFilter, parameter: Parameter): string {
  if (isCounted(filter))
    return `coalesce(sum(jobs), 0) from job_count where ${[...ownedBy(owner, parameter), ...counterConditions(filter)].join(' and ')}`
  if (!isRolledUp(filter))
    return `count(*) from job where ${[...ownedBy(owner, parameter), ...conditionsOf(filter, parameter)].join(' and ')}`
  const source = rollUpSource({ owner, filter, finest: 'all', sums: [], parameter })
  return `coalesce(sum(jobs), 0) from ${source} p`
}
