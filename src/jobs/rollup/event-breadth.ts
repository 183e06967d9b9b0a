import type { Pool } from 'pg'
import type { JobsFilter } from '../list/jobs-filter.ts'

/** Dimensions of `job_event` rows besides time. */
export type Breadth = 'all' | 'type_status' | 'each'

const FILTERS_OF_TYPE_STATUS: ReadonlySet<string> = new Set(['types', 'statuses'])
const GROUPS_OF_TYPE_STATUS: ReadonlySet<string> = new Set(['type', 'status'])
const GROUPS_OF_TIME: ReadonlySet<string> = new Set(['hour', 'day'])

/** The breadth with the fewest rows. */
export function breadthOf(filter: JobsFilter, groups: readonly string[] = []): Breadth {
  const filters = [...namesIn(filter)]
  const others = groups.filter((group) => !GROUPS_OF_TIME.has(group))
  if (filters.length === 0 && others.length === 0) return 'all'
  const isOfTypeStatus =
    filters.every((name) => FILTERS_OF_TYPE_STATUS.has(name)) &&
    others.every((group) => GROUPS_OF_TYPE_STATUS.has(group))
  return isOfTypeStatus ? 'type_status' : 'each'
}

export function namesIn({ and, or, not, ...own }: JobsFilter): ReadonlySet<string> {
  const parts = [...(and ?? []), ...(or ?? []), ...(not ? [not] : [])]
  const names = Object.entries(own).flatMap(([name, value]) => (value == null ? [] : [name]))
  return new Set([...names, ...parts.flatMap((part) => [...namesIn(part)])])
}

/** Whether `job_event` covers all jobs; it stays so. */
export async function hasAllEvents({ pool }: { readonly pool: Pool }): Promise<boolean> {
  const { rows } = await pool.query<{ all: boolean }>(
    'select not exists (select from job_event_backlog) and not exists (select from job_rollup_backlog) as all',
  )
  return rows[0]?.all === true
}
