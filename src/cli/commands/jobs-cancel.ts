import type { Command } from 'commander'
import { operatorCommand } from '../run-command.ts'

/** `sonant jobs cancel JOB_ID`, added to the command group `jobs`. */
export function addCancelCommand(jobs: Command): void {
  operatorCommand(
    jobs
      .command('cancel')
      .description('cancel an unfinished job and give its credits back')
      .argument('<job-id>', 'job_…'),
    async (ctx, _options, [jobId = '']) => {
      const { cancelJob } = await import('../../jobs/lifecycle/cancel-job.ts')
      const job = await cancelJob(ctx, { jobId })
      const errorCode = job.failure?.code
      return {
        json: { job_id: job.jobId, status: job.status, ...(errorCode !== undefined && { error_code: errorCode }) },
        text: `${job.jobId}  ${job.status}${errorCode === undefined ? '' : `  ${errorCode}`}`,
      }
    },
    ['queue'],
  )
}
