import type { Tx } from '../../db/database.ts'

/** Gives a job's charge back, if there was one, in the transaction that fails the job: once, whatever is repeated. */
export async function refundJob(tx: Tx, jobId: string): Promise<void> {
  const { rows } = await tx.query<{ account_id: string; amount: string }>(
    `insert into credit_entry (account_id, kind, amount, job_id)
     select account_id, 'refund', -amount, job_id from credit_entry where job_id = $1 and kind = 'charge'
     on conflict (job_id, kind) do nothing
     returning account_id, amount`,
    [jobId],
  )
  const refund = rows[0]
  if (refund === undefined) return
  await tx.query('update account set credits = credits + $2 where id = $1', [refund.account_id, refund.amount])
}
