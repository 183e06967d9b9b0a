import type { Command } from 'commander'
import { JOB_TYPES } from '../../catalog/job-kinds.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { JobAttempt } from '../../jobs/attempts/show-attempts.ts'
import type { CsvExport } from '../../jobs/export/export-csv.ts'
import { errorOf, type Job, type JobSummary } from '../../jobs/job-shape.ts'
import { JOB_DECISIONS, JOB_STATUSES } from '../../jobs/job-states.ts'
import type { JobStates } from '../../jobs/live/followers.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { printableLines } from '../../values/printable.ts'
import { actingFor, oneOf, payingFor, size, time } from '../options.ts'
import { type Answer, operatorCommand, withInterruption } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'
import { writeWhole } from '../write-whole.ts'

const COLUMNS: readonly Column<JobSummary>[] = [
  { head: 'job', cell: ({ id }) => id },
  { head: 'created (UTC)', cell: ({ createdAt }) => createdAt.toISOString() },
  { head: 'status', cell: ({ status }) => status },
  { head: 'duration (ms)', cell: durationMs },
  { head: 'endpoint', cell: ({ endpointKey }) => endpointKey },
  { head: 'key', cell: ({ apiKeyName }) => apiKeyName },
]

const PROGRESS_EVERY_MS = 100

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

interface ExportOptions {
  readonly account: string
  readonly from: string
  readonly to: string
  readonly output: string
}

interface WatchOptions {
  readonly account?: string
  readonly json?: boolean
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
  const { showJob } = await import('../../jobs/job.ts')
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

function addCancelCommand(jobs: Command): void {
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

function addDeleteCommand(jobs: Command): void {
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

function addExportCommand(jobs: Command): void {
  operatorCommand<ExportOptions>(
    jobs
      .command('export')
      .description("write an account's jobs of a window of time as CSV")
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--from <time>', 'created at this RFC 3339 time or later')
      .requiredOption('--to <time>', 'created before this time, at most 366 days later')
      .requiredOption('-o, --output <file>', 'where to write it; - is standard output'),
    exportToFile,
  )
}

const exportToFile = (ctx: ServiceContext, options: ExportOptions): Promise<Answer> =>
  withInterruption(async (stopped) => {
    const { cancellable } = await import('../../db/cancellable-client.ts')
    const { exportJobs } = await import('../../jobs/export/export-jobs.ts')
    const { jobPage } = await import('../../jobs/list/job-page.ts')
    const window = { from: time('--from', options.from), to: time('--to', options.to) }
    const behalf = await actingFor({ ...ctx, db: cancellable(ctx.db, () => stopped.aborted) }, options.account)
    const total = process.stderr.isTTY ? (await jobPage(behalf, { limit: 1, filter: window })).total : null
    const exported = await exportJobs(behalf, { ...window, gone: stopped })
    const stopBar = await startBar(exported, total)
    try {
      await writeWhole(options.output, exported.csv, stopped)
    } finally {
      stopBar()
    }
    const jobs = exported.rowsRead()
    return { json: { file: options.output, jobs }, text: `${options.output}  ${jobs} jobs` }
  })

async function startBar({ rowsRead }: CsvExport, total: number | null): Promise<() => void> {
  if (total === null) return () => undefined
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({ format: '{bar} {percentage}%  {value} of {total} jobs', stream: process.stderr })
  bar.start(total, 0)
  const timer = setInterval(() => bar.update(rowsRead()), PROGRESS_EVERY_MS)
  return () => {
    clearInterval(timer)
    bar.update(rowsRead())
    bar.stop()
  }
}

function addRetryCommand(jobs: Command): void {
  operatorCommand(
    jobs
      .command('retry')
      .description('submit a failed voice or generation job again, as a new job that its account pays for')
      .argument('<job-id>', 'job_…'),
    async (ctx, _options, [jobId = '']) => {
      const { showJob } = await import('../../jobs/job.ts')
      const { retryJob } = await import('../../producers/retry-job.ts')
      const { accountId } = await showJob(ctx, { jobId })
      const again = await retryJob(await payingFor(ctx, accountId), { jobId })
      return {
        json: { job_id: again.jobId, status: again.status, retry_of: jobId },
        text: `${again.jobId}  ${again.status}, a retry of ${jobId}`,
      }
    },
    ['catalog', 'inputs', 'queue'],
  )
}

function addWatchCommand(jobs: Command): void {
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
  const { showJob } = await import('../../jobs/job.ts')
  const { jobUpdated } = await import('../../jobs/live/jobs-updated.ts')
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
