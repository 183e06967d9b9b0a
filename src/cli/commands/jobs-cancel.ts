import type { Command } from 'commander'
import { errorOf } from '../../jobs/job-shape.ts'
import { operatorCommand } from '../run-command.ts'

export function addCancelCommand(jobs: Command): void {
  operatorCommand(
    jobs
      .command('cancel')
      .description('cancel an unfinished voice or generation job and give its credits back')
      .argument('<job-id>', 'job_…'),
    async (ctx, _options, [jobId = '']) => {
      const { cancelJob } = await import('../../jobs/lifecycle/cancel-job.ts')
      const job = await cancelJob(ctx, { jobId })
      const errorCode = errorOf(job)?.code
      return {
        json: { job_id: job.id, status: job.status, ...(errorCode !== undefined && { error_code: errorCode }) },
        text: `${job.id}  ${job.status}${errorCode === undefined ? '' : `  ${errorCode}`}`,
      }
    },
    ['queue', 'catalog'],
  )
}
