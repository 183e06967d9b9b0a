import type { Pool } from 'pg'

interface Plan {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** What a statement has read of a table: by which index, if any, and how many rows, those that it passed over included. */
interface PlanRead {
  readonly table: string | undefined
  readonly index: string | undefined
  readonly rows: number
}

const leavesOf = (plan: Plan): Plan[] => (plan.Plans === undefined ? [plan] : plan.Plans.flatMap(leavesOf))

/** Of a first partition, or one of its indexes, the name that the whole table has. */
const wholeOf = (name: string | undefined): string | undefined =>
  name?.replace(/^(job|artifact)_first|^(credit_entry)_default/, '$1$2')

/** Runs a statement as EXPLAIN does, and says what it has read. */
export async function planReads(
  client: Pick<Pool, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<PlanRead[]> {
  const { rows } = await client.query(`explain (analyze, format json) ${text}`, [...values])
  return leavesOf(rows[0]['QUERY PLAN'][0].Plan as Plan).map((leaf) => ({
    table: wholeOf(leaf['Relation Name']),
    index: wholeOf(leaf['Index Name']),
    rows: (leaf['Actual Rows'] ?? 0) + (leaf['Rows Removed by Filter'] ?? 0),
  }))
}
