import type { Command } from 'commander'
import type { CsvExport } from '../../jobs/export/export-csv.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { actingFor } from '../acting-for.ts'
import { withInterruption } from '../interruption.ts'
import { time } from '../options.ts'
import { type Answer, operatorCommand } from '../run-command.ts'
import { writeWhole } from '../write-whole.ts'

const PROGRESS_EVERY_MS = 100

interface ExportOptions {
  readonly account: string
  readonly from: string
  readonly to: string
  readonly output: string
}

export function addExportCommand(jobs: Command): void {
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
