import type { Command } from 'commander'
import type { Settings } from '../../context/config.ts'
import { EmbeddedError } from '../../db/embedded/embedded-error.ts'
import type { LedgerExamination } from '../../db/migrations/examine-ledger.ts'
import type { Finding } from '../../doctor/finding.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { DataDirectoryError } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import { addAction } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const EXIT_CODES = { ok: 0, error: 1, warning: 2 } as const
/** Errors of one sentence for the operator: what keeps a database from being used is found, too. */
const SAYS_WHY = [ServiceError, DataDirectoryError, EmbeddedError] as const
const COLUMNS: readonly Column<Finding>[] = [
  { head: 'result', cell: ({ severity }) => severity },
  { head: 'check', cell: ({ check }) => check },
  {
    head: 'found',
    cell: ({ found, remedy }) => (remedy === null ? found : `${found.replace(/\.$/, '')}. ${sentence(remedy)}`),
  },
]

export function addDoctorCommand(program: Command): void {
  addAction(
    program
      .command('doctor')
      .description('check the whole installation, and say what to do; exits with 1 on an error, 2 on warnings alone'),
    async (settings, log) => {
      const findings = await examine(settings, log)
      const worst = (['error', 'warning', 'ok'] as const).find((one) =>
        findings.some(({ severity }) => severity === one),
      )
      process.exitCode = EXIT_CODES[worst ?? 'ok']
      return { json: { ok: worst === 'ok', findings }, text: toTable(COLUMNS, findings) }
    },
  )
}

/** What needs the schema is not looked at while migrations are pending or failed: nothing here applies them. */
async function examine(settings: Settings, log: Log): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    const { examineMigrations } = await import('../../runtime/plan-pending.ts')
    const { migrationFindings } = await import('../../doctor/migration-findings.ts')
    const migrations = await examineMigrations(settings, log)
    findings.push(...migrationFindings(migrations))
    findings.push(...(await lookFurther(settings, log, migrations)))
  } catch (cause) {
    if (!SAYS_WHY.some((kind) => cause instanceof kind)) throw cause
    const remedy = 'until then nothing else can be checked'
    findings.push({ check: 'database', severity: 'error', found: (cause as Error).message.replace(/\.$/, ''), remedy })
  }
  return findings
}

async function lookFurther(
  settings: Settings,
  log: Log,
  { pending, failed }: LedgerExamination,
): Promise<readonly Finding[]> {
  const isMigrated = pending.length === 0 && !failed.some(({ isKnown }) => isKnown)
  const { openCommand } = await import('../open-command.ts')
  const { diagnose } = await import('../../doctor/diagnose.ts')
  const needs = isMigrated ? (['catalog'] as const) : []
  const { ctx, close } = await openCommand(settings, log, needs, { asItIs: !isMigrated })
  return await diagnose(ctx, { isMigrated }).finally(close)
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
