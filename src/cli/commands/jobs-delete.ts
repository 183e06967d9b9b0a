import type { Command } from 'commander'
import { operatorCommand } from '../run-command.ts'

export function addDeleteCommand(jobs: Command): void {
  operatorCommand(
    jobs
      .command('delete')
      .description('delete a job that has ended, with its audio, for ever; the ledger keeps its sum')
      .argument('<job-id>', 'job_…'),
    async (ctx, _options, [jobId = '']) => {
      const { deleteJob } = await import('../../jobs/retention/delete-job.ts')
      await deleteJob(ctx, { jobId })
      return { json: { job_id: jobId, deleted: true }, text: `${jobId}  deleted` }
    },
  )
}
