import { REPAIR } from '../db/migrations/ledger.ts'
import type { LedgerExamination } from '../db/migrations/migrate.ts'
import { commandLine } from '../values/program.ts'
import { error, type Finding, warning } from './finding.ts'

/** Findings about the migration ledger, failed ones first because they block the others. */
export function migrationFindings({ pending, newer, failed }: LedgerExamination): Finding[] {
  const apply = `run ${commandLine('migrate')}, or start the service`
  const findings = [
    ...failed.map(({ name, isKnown, reason }) => {
      const how = `failed half-way${reason === null ? '' : `: ${reason}`}`
      if (isKnown) return error(`${name} ${how}`, REPAIR)
      return warning(`${name}, of a newer version, ${how}`, `before that version starts again, ${REPAIR}`)
    }),
    ...(pending.length === 0
      ? []
      : [
          error(
            `${pending.length} pending, from ${pending[0]} on`,
            failed.every(({ isKnown }) => !isKnown) ? apply : `mend what failed, then ${apply}`,
          ),
        ]),
    ...(newer.length === 0
      ? []
      : [warning(`${newer.length} of a newer version, from ${newer[0]} on`, 'bring this program to that version')]),
  ]
  return findings.map((finding) => ({ check: 'migrations', ...finding }))
}
