import type { Command } from 'commander'
import type { Settings } from '../../context/config.ts'
import type { Finding } from '../../doctor/finding.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Log } from '../../values/log.ts'
import { addAction } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const EXIT_CODES = { ok: 0, error: 1, warning: 2 } as const
const COLUMNS: readonly Column<Finding>[] = [
  { head: 'result', cell: ({ severity }) => severity },
  { head: 'check', cell: ({ check }) => check },
  { head: 'found', cell: ({ found, remedy }) => (remedy === null ? found : `${found}. ${sentence(remedy)}`) },
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

/** What needs the schema is not looked at while migrations are pending: nothing here applies them. */
async function examine(settings: Settings, log: Log): Promise<Finding[]> {
  const [{ planPending }, { openCommand }] = await Promise.all([
    import('../../runtime/plan-pending.ts'),
    import('../open-command.ts'),
  ])
  try {
    const pending = await planPending(settings, log)
    if (pending.length > 0) return [pendingFinding(pending.map(({ name }) => name))]
    const { ctx, close } = await openCommand(settings, log, ['catalog'])
    const { diagnose } = await import('../../doctor/diagnose.ts')
    return await diagnose(ctx).finally(close)
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw cause
    const remedy = 'until then nothing else can be checked'
    return [{ check: 'database', severity: 'error', found: cause.message.replace(/\.$/, ''), remedy }]
  }
}

const pendingFinding = (names: readonly string[]): Finding => ({
  check: 'migrations',
  severity: 'error',
  found: `${names.length} pending, from ${names[0]} on`,
  remedy: 'run sonant migrate, or start the service',
})

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
