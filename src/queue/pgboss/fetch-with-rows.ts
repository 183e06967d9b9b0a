import type { Db, Job, PgBoss } from 'pg-boss'
import type { RowClaim } from '../job-source.ts'

/** What a fetch asks pg-boss for. */
interface FetchOptions {
  readonly batchSize: number
  readonly ignoreGroups?: string[]
}

/** A row of the queue; where it came alone, with the columns of its claim. */
export type Fetched<Payload> = Job<Payload> & {
  /** The id of the row that was claimed with it; null: none was. */
  readonly claimed_id?: string | null
}

/** Of what a fetch brought, the one that came alone. */
const ALONE = `array(select min(data->>'jobId') from fetched having count(*) = 1)`
const withRow = (fetch: string, rowClaim: RowClaim, parameter: `$${number}`): string => `
  with fetched as (${fetch}), ${rowClaim.expressions(ALONE, parameter)}
  select c.*, c.id as claimed_id, f.* from fetched f left join claimed c on c.id = f.data->>'jobId'`

/**
 * What pg-boss's own fetch brings. Where that is one job, as on a quiet service, its row is claimed in the same statement: of many, which
 * of them may begin at once is known only afterwards.
 */
export async function fetchWithRows<Payload extends object>(
  boss: PgBoss,
  queue: string,
  options: FetchOptions,
  rowClaim: RowClaim | undefined,
): Promise<readonly Fetched<Payload>[]> {
  if (rowClaim === undefined) return boss.fetch<Payload>(queue, options)
  const db: Db = {
    executeSql: (text, values = []) =>
      boss.getDb().executeSql(withRow(text, rowClaim, `$${values.length + 1}`), [...values, rowClaim.value]),
  }
  return boss.fetch<Payload>(queue, { ...options, db })
}
