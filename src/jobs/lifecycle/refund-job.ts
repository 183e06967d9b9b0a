import type { Sql } from '../../db/sql.ts'

/**
 * Refunds a job's charge once, in the transaction that fails the job.
 * @returns credits
 */
export async function refundJob(tx: Sql, jobId: string): Promise<number> {
  const { rows } = await tx.query<{ account_id: string; amount: string | bigint }>({
    text: `insert into credit_entry (account_id, kind, amount, job_id)
     select account_id, 'refund', -amount, job_id from credit_entry where job_id = $1 and kind = 'charge'
     on conflict (job_id, kind) do nothing
     returning account_id, amount`,
    values: [jobId],
  })
  const refund = rows[0]
  if (refund === undefined) return 0
  const text = 'update account set credits = credits + $2 where id = $1'
  await tx.query({ text, values: [refund.account_id, refund.amount] })
  return Number(refund.amount)
}
