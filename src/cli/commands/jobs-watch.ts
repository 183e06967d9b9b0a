import type { Command } from 'commander'
import { invalidRequest } from '../../errors/service-error.ts'
import { errorOf, type Job } from '../../jobs/job-shape.ts'
import type { JobStates } from '../../jobs/live/followers.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { actingFor } from '../acting-for.ts'
import { withInterruption } from '../interruption.ts'
import { operatorCommand } from '../run-command.ts'

interface WatchOptions {
  readonly account?: string
  readonly json?: boolean
}

export function addWatchCommand(jobs: Command): void {
  operatorCommand<WatchOptions>(
    jobs
      .command('watch')
      .description(
        'print how a job changes until it has ended, or how all of an account do until Ctrl-C; --json prints one document a line',
      )
      .argument('[job-id]', 'job_…; exits with 1 where it fails')
      .option('--account <account>', 'id or name, instead of a job'),
    watch,
  )
}

async function watch(ctx: ServiceContext, options: WatchOptions, [jobId]: readonly string[]): Promise<null> {
  const states = await follow(ctx, options.account, jobId)
  await withInterruption(async (stopped) => {
    stopped.addEventListener('abort', () => void states.return())
    for await (const job of states) {
      process.stdout.write(`${options.json === true ? JSON.stringify(toJson(job)) : toLine(job)}\n`)
      if (jobId !== undefined && job.status === 'failed') process.exitCode = 1
    }
  })
  return null
}

async function follow(ctx: ServiceContext, account: string | undefined, jobId: string | undefined): Promise<JobStates> {
  if ((jobId === undefined) === (account === undefined)) throw invalidRequest('Give either a job id or --account.')
  if (jobId === undefined) {
    const { jobsUpdated } = await import('../../jobs/live/jobs-updated.ts')
    return jobsUpdated(await actingFor(ctx, account as string), {})
  }
  const { showJob } = await import('../../jobs/list/show-job.ts')
  const { jobUpdated } = await import('../../jobs/live/job-updated.ts')
  const { accountId } = await showJob(ctx, { jobId })
  return jobUpdated(await actingFor(ctx, accountId), { jobId })
}

const toJson = (job: Job) => ({
  job_id: job.id,
  status: job.status,
  created_at: job.createdAt,
  completed_at: job.completedAt,
  error_code: errorOf(job)?.code ?? null,
})

function toLine(job: Job): string {
  const error = errorOf(job)
  return [job.id, job.status, ...(error === null ? [] : [`${error.code}: ${error.message}`])].join('  ')
}
