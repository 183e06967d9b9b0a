import type { Parts } from '../../context/context.ts'
import type { Claim } from './claim-job.ts'
import type { Provenance } from './job-end.ts'

/** Records what the engine reports, also after a cancellation. Known values stay. */
export async function recordProvenance(
  { db }: Pick<Parts, 'db'>,
  claim: Pick<Claim, 'jobId' | 'attempt'>,
  { providerJobId = null, gpuExecutionTimeMs = null }: Provenance,
): Promise<void> {
  await db.pool.query({
    name: 'record_provenance',
    text: `update job set provider_job_id = $3,
             gpu_execution_time_ms = case when provider_job_id = $3 then coalesce($4, gpu_execution_time_ms) else $4 end
           where id = $1 and attempt = $2 and status in ('processing', 'failed')`,
    values: [claim.jobId, claim.attempt, providerJobId, gpuExecutionTimeMs],
  })
}
