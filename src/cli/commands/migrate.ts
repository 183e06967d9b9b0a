import type { Command } from 'commander'
import type { PlannedMigration } from '../../db/migrations/plan-migrations.ts'
import { addAction } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

interface MigrateOptions {
  readonly plan?: boolean
}

export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description('bring the database up to date, as every start does unless MIGRATE is off, and stop')
    .option(
      '--plan',
      'say what is pending, what it locks, and whether the version that runs now may go on; change nothing',
    )
  addAction(command, async (settings, log, { plan }: MigrateOptions) => {
    if (plan) {
      const { planPending } = await import('../../runtime/with-server.ts')
      return showPlan(await planPending(settings, log))
    }
    const { openCommand } = await import('../open-command.ts')
    const { close } = await openCommand({ ...settings, migrate: true }, log, [])
    await close()
    return { json: { migrated: true }, text: 'the database is up to date' }
  })
}

interface Line {
  readonly name: string
  readonly step: PlannedMigration['steps'][number]
  readonly minimumVersion: string | null
}

const RUNS = { transaction: 'in one transaction', concurrently: 'outside of a transaction', pages: 'page by page' }
const COLUMNS: readonly Column<Line>[] = [
  { head: 'migration', cell: ({ name }) => name },
  { head: 'runs', cell: ({ step }) => RUNS[step.runs] },
  {
    head: 'locks',
    cell: ({ step }) => step.locks.map(({ table, mode }) => `${table} (${mode})`).join(', ') || 'nothing',
  },
  { head: 'older versions', cell: ({ minimumVersion: least }) => (least === null ? 'may run' : `not below ${least}`) },
]

function showPlan(pending: readonly PlannedMigration[]) {
  const lines = pending.flatMap(({ name, steps, minimumVersion }) =>
    steps.map((step) => ({ name, step, minimumVersion })),
  )
  const json = pending.map(({ name, begun, steps, minimumVersion }) => ({
    migration: name,
    begun,
    older_may_run: minimumVersion === null,
    minimum_version: minimumVersion,
    steps,
  }))
  return { json: { pending: json }, text: lines.length === 0 ? 'nothing is pending' : toTable(COLUMNS, lines) }
}
