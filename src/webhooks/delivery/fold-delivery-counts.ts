import type { Pool } from 'pg'
import { foldCounts } from '../../db/fold-counts.ts'

export const foldDeliveryCounts = (db: Pool): Promise<void> =>
  foldCounts(db, { table: 'webhook_delivery_count', key: ['account_id', 'state'], sum: 'deliveries' })
