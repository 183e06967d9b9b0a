import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { openEngines } from '../engines/engines.ts'
import { checkEngines, type EngineCheck } from '../synthesis/check-engines.ts'
import { operatorCommand } from './run-command.ts'

const HEADINGS = ['endpoint', 'engine', 'server', 'voices', 'speech']

export function addEngineCommands(program: Command): void {
  const engines = program.command('engines').description('speech engines and the servers behind them')

  operatorCommand(
    engines
      .command('check')
      .description('have every engine list its voices and speak a sentence; exits with 1 if one fails'),
    async (ctx) => {
      const opened = openEngines({ threads: availableParallelism(), log: ctx.log, lookUp: ctx.settings.lookUp })
      try {
        const checks = await checkEngines(ctx, { engines: opened })
        if (checks.some((check) => check.error !== null || check.missing.length > 0)) process.exitCode = 1
        return { json: { engines: checks.map(toJson) }, text: toTable([HEADINGS, ...checks.map(toCells)]) }
      } finally {
        await opened.close()
      }
    },
  )
}

const toJson = (check: EngineCheck) => ({
  endpoint: check.endpoint,
  kind: check.kind,
  server: check.server,
  voices_offered: check.offered,
  voices_missing: check.missing,
  speech_ms: check.speech?.tookMs ?? null,
  audio_ms: check.speech?.durationMs ?? null,
  error: check.error,
})

const toCells = (check: EngineCheck): string[] => [
  check.endpoint,
  check.kind,
  check.server ?? 'this process',
  check.missing.length > 0 ? `missing: ${check.missing.join(', ')}` : (check.offered?.toString() ?? 'not listed'),
  check.speech === null
    ? (check.error ?? 'failed')
    : `${seconds(check.speech.durationMs)} of audio in ${seconds(check.speech.tookMs)}`,
]

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`

function toTable(rows: readonly (readonly string[])[]): string {
  const widths = HEADINGS.map((_heading, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
  return lines.map((line) => line.trimEnd()).join('\n')
}
