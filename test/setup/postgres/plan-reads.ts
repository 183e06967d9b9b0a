import type { Pool } from 'pg'

interface Plan {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

/** A statement's reads of a table: the index, if any, and the rows, including those that it passed over. */
interface PlanRead {
  readonly table: string | undefined
  readonly index: string | undefined
  readonly rows: number
}

const leavesOf = (plan: Plan): Plan[] => (plan.Plans === undefined ? [plan] : plan.Plans.flatMap(leavesOf))

/** The whole table's name for a first partition or one of its indexes. */
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
