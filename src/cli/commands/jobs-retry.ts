import type { Command } from 'commander'
import { actingFor } from '../acting-for.ts'
import { operatorCommand } from '../run-command.ts'

export function addRetryCommand(jobs: Command): void {
  operatorCommand(
    jobs
      .command('retry')
      .description('submit a failed voice or generation job again, as a new job that its account pays for')
      .argument('<job-id>', 'job_…'),
    async (ctx, _options, [jobId = '']) => {
      const { showJob } = await import('../../jobs/list/show-job.ts')
      const { retryJob } = await import('../../producers/retry-job.ts')
      const { accountId } = await showJob(ctx, { jobId })
      const again = await retryJob(await actingFor(ctx, accountId), { jobId })
      return {
        json: { job_id: again.jobId, status: again.status, retry_of: jobId },
        text: `${again.jobId}  ${again.status}, a retry of ${jobId}`,
      }
    },
    ['catalog', 'inputs', 'queue'],
  )
}
