import type { Command } from 'commander'
import type { ArchivePart } from '../../jobs/archive/archive-jobs.ts'
import { operatorCommand, withInterruption } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'
import { writeWhole } from '../write-whole.ts'

const COLUMNS: readonly Column<ArchivePart>[] = [
  { head: 'account', cell: ({ accountId }) => accountId },
  { head: 'month', cell: ({ month }) => month },
  { head: 'part', cell: ({ part }) => part },
  { head: 'jobs', cell: ({ jobs }) => jobs },
  { head: 'bytes', cell: ({ bytes }) => Number(bytes) },
  { head: 'file', cell: ({ storageKey }) => storageKey },
]

interface ReadOptions {
  readonly account: string
  readonly month: string
  readonly output: string
}

export function addArchiveCommands(program: Command): void {
  const archive = program.command('archive').description('jobs that JOB_ARCHIVE_DAYS has moved to files in the store')
  operatorCommand<{ readonly account?: string }>(
    archive.command('list').description('list the files').option('--account <account>', 'id or name'),
    async (ctx, { account }) => {
      const { listArchive } = await import('../../jobs/archive/read-archive.ts')
      const files = await listArchive(ctx, { account })
      return { json: { files: files.map(present) }, text: toTable(COLUMNS, files) }
    },
  )
  operatorCommand<ReadOptions>(
    archive
      .command('read')
      .description("write an account's archived jobs of a month as CSV, in the columns of an export")
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--month <month>', 'such as 2026-01, in UTC')
      .requiredOption('-o, --output <file>', 'where to write it; - is standard output'),
    (ctx, options) =>
      withInterruption(async (stopped) => {
        const { readArchive } = await import('../../jobs/archive/read-archive.ts')
        const { csv, jobs } = await readArchive(ctx, options)
        await writeWhole(options.output, csv, stopped)
        return { json: { file: options.output, jobs }, text: `${options.output}  ${jobs} jobs` }
      }),
  )
}

const present = ({ accountId, month, part, storageKey, jobs, bytes, sha256, storedAt }: ArchivePart) => ({
  account_id: accountId,
  month,
  part,
  file: storageKey,
  jobs,
  bytes: Number(bytes),
  sha256: sha256 && Buffer.from(sha256).toString('hex'),
  stored_at: storedAt?.toISOString() ?? null,
})
