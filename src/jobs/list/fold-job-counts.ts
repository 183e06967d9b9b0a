import type { Pool } from 'pg'
import { foldCounts } from '../../db/fold-counts.ts'

export const foldJobCounts = (db: Pool): Promise<void> =>
  foldCounts(db, { table: 'job_count', key: ['account_id', 'type', 'status', 'decision'], sum: 'jobs' })
