import type { Command } from 'commander'
import { invalidRequest } from '../../errors/service-error.ts'
import { JOB_ERRORS } from '../../jobs/job-states.ts'
import type { JobState, JobStates } from '../../jobs/live/job-stream.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { actingFor } from '../acting-for.ts'
import { withInterruption } from '../interruption.ts'
import { operatorCommand } from '../run-command.ts'

interface WatchOptions {
  readonly account?: string
  readonly json?: boolean
}

/** `sonant jobs watch [JOB_ID]`, added to the command group `jobs`. */
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
    for await (const state of states) {
      process.stdout.write(`${options.json === true ? JSON.stringify(toJson(state)) : toLine(state)}\n`)
      if (jobId !== undefined && state.status === 'failed') process.exitCode = 1
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

const toJson = (state: JobState) => ({
  job_id: state.jobId,
  status: state.status,
  created_at: state.createdAt,
  completed_at: state.completedAt,
  error_code: errorOf(state),
})

const toLine = (state: JobState): string => {
  const code = errorOf(state)
  return [state.jobId, state.status, ...(code === null ? [] : [`${code}: ${JOB_ERRORS[code]}`])].join('  ')
}

const errorOf = ({ record }: JobState) => record.error_code
