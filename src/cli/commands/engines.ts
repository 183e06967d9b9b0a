import type { Command } from 'commander'
import type { Context } from '../../context/context.ts'
import type { EngineCheck } from '../../voice/trials/try-engine.ts'
import { type Answer, operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const COLUMNS: readonly Column<EngineCheck>[] = [
  { head: 'endpoint', cell: ({ endpoint }) => endpoint },
  { head: 'engine', cell: ({ kind }) => kind },
  { head: 'server', cell: ({ server }) => server ?? 'this process' },
  { head: 'voices', cell: voicesCell },
  { head: 'speech', cell: speechCell },
]

export function addEngineCommands(program: Command): void {
  const engines = program.command('engines').description('speech engines and the servers behind them')

  operatorCommand(
    engines
      .command('check')
      .description('have every engine list its voices and speak a sentence; exits with 1 if one fails'),
    check,
    ['catalog'],
  )
}

async function check(ctx: Context): Promise<Answer> {
  const { checkEngines, isSound } = await import('../../voice/trials/try-engine.ts')
  const checks = await checkEngines(ctx)
  if (!checks.every(isSound)) process.exitCode = 1
  return { json: { engines: checks.map(toJson) }, text: toTable(COLUMNS, checks) }
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

function voicesCell({ missing, offered }: EngineCheck): string {
  return missing.length > 0 ? `missing: ${missing.join(', ')}` : (offered?.toString() ?? 'not listed')
}

function speechCell({ speech, error }: EngineCheck): string {
  if (speech === null) return error ?? 'ready at a worker'
  return `${seconds(speech.durationMs)} of audio in ${seconds(speech.tookMs)}`
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
