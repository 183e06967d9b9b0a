import type { Command } from 'commander'
import type { Settings } from '../../context/config.ts'
import { EmbeddedError } from '../../db/embedded/embedded-binaries.ts'
import type { LedgerExamination } from '../../db/migrations/migrate.ts'
import type { Finding } from '../../doctor/finding.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { OpenedServer } from '../../runtime/open-server.ts'
import { DataDirectoryError } from '../../values/data-directory.ts'
import type { Log } from '../../values/log.ts'
import { addAction } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const EXIT_CODES = { ok: 0, error: 1, warning: 2 } as const
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

async function examine(settings: Settings, log: Log): Promise<Finding[]> {
  const findings: Finding[] = []
  try {
    const { requireDatabase } = await import('../../runtime/open-server.ts')
    const { withServer } = await import('../../runtime/with-server.ts')
    await requireDatabase(settings)
    await withServer(settings, log, async (server) => {
      const { examineLedger } = await import('../../db/migrations/migrate.ts')
      const { migrationFindings } = await import('../../doctor/migration-findings.ts')
      const migrations = await examineLedger(server.db.pool)
      findings.push(...migrationFindings(migrations))
      findings.push(...(await lookFurther(settings, log, { server, migrations })))
    })
  } catch (cause) {
    if (!SAYS_WHY.some((kind) => cause instanceof kind)) throw cause
    const remedy = 'until then nothing else can be checked'
    findings.push({ check: 'database', severity: 'error', found: (cause as Error).message.replace(/\.$/, ''), remedy })
  }
  return findings
}

interface Opened {
  readonly server: OpenedServer
  readonly migrations: LedgerExamination
}

/** Checks that need the schema are left out while migrations are pending or failed. */
async function lookFurther(
  settings: Settings,
  log: Log,
  { server, migrations: { pending, failed } }: Opened,
): Promise<readonly Finding[]> {
  const isMigrated = pending.length === 0 && !failed.some(({ isKnown }) => isKnown)
  const { openCommand } = await import('../open-command.ts')
  const { diagnose } = await import('../../doctor/diagnose.ts')
  const needs = isMigrated ? (['catalog'] as const) : []
  const { ctx, close } = await openCommand(settings, log, needs, { asItIs: !isMigrated, server })
  return await diagnose(ctx, isMigrated).finally(close)
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
