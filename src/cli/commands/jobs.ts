import type { Command } from 'commander'
import type { JobAttempt } from '../../jobs/attempts/attempts-of.ts'
import type { JobSummary } from '../../jobs/job-shape.ts'
import { JOB_DECISIONS, JOB_STATUSES, JOB_TYPES } from '../../jobs/job-states.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { printableLines } from '../../values/printable.ts'
import { actingFor } from '../acting-for.ts'
import { oneOf, size, time } from '../options.ts'
import { type Answer, operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'
import { addCancelCommand } from './jobs-cancel.ts'
import { addDeleteCommand } from './jobs-delete.ts'
import { addExportCommand } from './jobs-export.ts'
import { addRetryCommand } from './jobs-retry.ts'
import { addWatchCommand } from './jobs-watch.ts'

const COLUMNS: readonly Column<JobSummary>[] = [
  { head: 'job', cell: ({ id }) => id },
  { head: 'created (UTC)', cell: ({ createdAt }) => createdAt.toISOString() },
  { head: 'status', cell: ({ status }) => status },
  { head: 'duration (ms)', cell: durationMs },
  { head: 'endpoint', cell: ({ endpointKey }) => endpointKey },
  { head: 'key', cell: ({ apiKeyName }) => apiKeyName },
]

interface ListOptions {
  readonly account: string
  readonly limit?: string
  readonly offset?: string
  readonly type?: string
  readonly decision?: string
  readonly status?: string
  readonly apiKeyId?: string
  readonly search?: string
  readonly from?: string
  readonly to?: string
}

export function addJobCommands(program: Command): void {
  const jobs = program.command('jobs').description('jobs of all types')
  addCancelCommand(jobs)
  addDeleteCommand(jobs)
  addRetryCommand(jobs)
  addWatchCommand(jobs)
  addExportCommand(jobs)
  operatorCommand(
    jobs.command('show').description('show a job, including the internal error').argument('<job-id>', 'job_…'),
    async (ctx, _options, [jobId = '']) => show(ctx, jobId),
  )
  operatorCommand<ListOptions>(
    jobs
      .command('list')
      .description("list an account's jobs, newest first")
      .requiredOption('--account <account>', 'id or name')
      .option('--limit <number>', '1 to 100 jobs; 50 if not given')
      .option('--offset <number>', 'how many jobs to leave out first')
      .option('--type <type>', JOB_TYPES.join(', '))
      .option('--decision <decision>', JOB_DECISIONS.join(', '))
      .option('--status <a,b>', JOB_STATUSES.join(', '))
      .option('--api-key-id <key-id>', 'submitted with this key')
      .option('--search <prefix>', 'job ids that begin with this')
      .option('--from <time>', 'created at this RFC 3339 time or later')
      .option('--to <time>', 'created before this time'),
    list,
  )
}

async function show(ctx: ServiceContext, jobId: string): Promise<Answer> {
  const { showJob } = await import('../../jobs/list/show-job.ts')
  const { showAttempts } = await import('../../jobs/attempts/show-attempts.ts')
  const { presentJob } = await import('../../../rest/present.ts')
  const job = await showJob(ctx, { jobId })
  const attempts = await showAttempts(ctx, job)
  const json = {
    ...(await presentJob(ctx, job)),
    account_id: job.accountId,
    attempt: job.attempt,
    started_at: job.startedAt?.toISOString() ?? null,
    cause: job.cause,
    attempts: attempts.map(presentAttempt),
  }
  const shown = Object.entries(json).filter(([, value]) => value !== undefined)
  return { json, text: shown.map(([name, value]) => `${name}: ${text(value)}`).join('\n') }
}

const presentAttempt = ({ number, startedAt, endedAt, outcome, error, worker, cause }: JobAttempt) => ({
  number,
  started_at: startedAt?.toISOString() ?? null,
  ended_at: endedAt?.toISOString() ?? null,
  outcome,
  error,
  worker,
  cause,
})

const text = (value: unknown): string => {
  if (typeof value === 'string') return printableLines(value)
  if (!Array.isArray(value) || value.length === 0) return printableLines(JSON.stringify(value))
  return value.map((one) => `\n  ${printableLines(JSON.stringify(one))}`).join('')
}

async function list(ctx: ServiceContext, options: ListOptions): Promise<Answer> {
  const { jobPage } = await import('../../jobs/list/job-page.ts')
  const { presentJobPage } = await import('../../../rest/present.ts')
  const page = await jobPage(await actingFor(ctx, options.account), {
    limit: size('--limit', options.limit),
    offset: size('--offset', options.offset),
    filter: {
      type: oneOf('--type', JOB_TYPES, options.type),
      decision: oneOf('--decision', JOB_DECISIONS, options.decision),
      status: options.status?.split(',').map((status) => oneOf('--status', JOB_STATUSES, status.trim())),
      apiKeyId: options.apiKeyId,
      search: options.search,
      from: options.from === undefined ? undefined : time('--from', options.from),
      to: options.to === undefined ? undefined : time('--to', options.to),
    },
  })
  const shown = `${page.jobs.length} of ${page.total}`
  return { json: presentJobPage(page), text: `${toTable(COLUMNS, page.jobs)}\n${shown}` }
}

function durationMs({ createdAt, completedAt }: JobSummary): number | null {
  return completedAt === null ? null : completedAt.getTime() - createdAt.getTime()
}
