import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { presentJob, presentJobPage } from '../../rest/present.ts'
import type { Context } from '../context.ts'
import { cancellable } from '../db/cancellable.ts'
import { exportJobs, type JobExport } from '../jobs/export-jobs.ts'
import { jobPage } from '../jobs/job-page.ts'
import { JOB_DECISIONS, JOB_STATUSES, JOB_TYPES } from '../jobs/job-states.ts'
import type { JobSummary } from '../jobs/job-view.ts'
import { showJob } from '../jobs/show-job.ts'
import { actingFor } from './acting-for.ts'
import { interruptibly } from './interruption.ts'
import { addCancelCommand } from './jobs-cancel.ts'
import { oneOf, size, time } from './options.ts'
import { type Answer, operatorCommand } from './run-command.ts'
import { writeWhole } from './write-whole.ts'

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

export function addJobCommands(program: Command): void {
  const jobs = program.command('jobs').description('jobs of all types')
  addCancelCommand(jobs)
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
  operatorCommand<ExportOptions>(
    jobs
      .command('export')
      .description("write an account's jobs of a window of time into a CSV file")
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--from <time>', 'created at this RFC 3339 time or later')
      .requiredOption('--to <time>', 'created before this time, at most 366 days later')
      .requiredOption('-o, --output <file>', 'where to write it'),
    exportToFile,
  )
}

async function show(ctx: Context, jobId: string): Promise<Answer> {
  const job = await showJob(ctx, { jobId })
  const json = {
    ...presentJob(job),
    account_id: job.accountId,
    attempt: job.attempt,
    started_at: job.startedAt?.toISOString() ?? null,
    cause: job.cause,
  }
  // What JSON leaves out is left out here, too.
  const shown = Object.entries(json).filter(([, value]) => value !== undefined)
  return { json, text: shown.map(([name, value]) => `${name}: ${text(value)}`).join('\n') }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

async function list(ctx: Context, options: ListOptions): Promise<Answer> {
  const page = await jobPage(await actingFor(ctx, options.account), {
    limit: size('--limit', options.limit),
    offset: size('--offset', options.offset),
    filter: {
      type: oneOf('--type', JOB_TYPES, options.type),
      decision: oneOf('--decision', JOB_DECISIONS, options.decision),
      status: options.status?.split(',').map((status) => oneOf('--status', JOB_STATUSES, status)),
      apiKeyId: options.apiKeyId,
      search: options.search,
      from: options.from === undefined ? undefined : time('--from', options.from),
      to: options.to === undefined ? undefined : time('--to', options.to),
    },
  })
  const shown = `${page.jobs.length} of ${page.total}`
  return { json: presentJobPage(page), text: [...page.jobs.map(line), shown].join('\n') }
}

const line = (job: JobSummary): string =>
  [job.jobId, job.createdAt.toISOString(), job.status.padEnd(10), job.endpointKey, job.apiKeyName ?? '']
    .join('  ')
    .trimEnd()

const exportToFile = (ctx: Context, options: ExportOptions): Promise<Answer> =>
  interruptibly(async (gone) => {
    const window = { from: time('--from', options.from), to: time('--to', options.to) }
    const behalf = await actingFor({ ...ctx, db: cancellable(ctx.db, () => gone.aborted) }, options.account)
    const total = process.stderr.isTTY ? (await jobPage(behalf, { limit: 1, filter: window })).total : null
    const exported = await exportJobs(behalf, { ...window, gone })
    const stopBar = startBar(exported, total)
    try {
      await writeWhole(options.output, exported.csv, gone)
    } finally {
      stopBar()
    }
    const jobs = exported.rowsRead()
    return { json: { file: options.output, jobs }, text: `${options.output}  ${jobs} jobs` }
  })

/** Rows done of rows counted, where somebody looks: `total` is null where nobody does. Returns what ends it. */
function startBar({ rowsRead }: JobExport, total: number | null): () => void {
  if (total === null) return () => undefined
  const bar = new SingleBar({ format: '{bar} {percentage}%  {value} of {total} jobs', stream: process.stderr })
  bar.start(total, 0)
  const timer = setInterval(() => bar.update(rowsRead()), PROGRESS_EVERY_MS)
  return () => {
    clearInterval(timer)
    bar.update(rowsRead())
    bar.stop()
  }
}
