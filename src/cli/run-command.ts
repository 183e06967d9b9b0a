import type { Command } from 'commander'
import { ConfigError, readSettings, type Settings } from '../config.ts'
import type { Context } from '../context.ts'
import { type Detail, ServiceError } from '../errors.ts'
import { JOB_ERRORS, JobFailure } from '../jobs/job-states.ts'
import { openLog } from '../log.ts'
import { openRuntime, type Runtime } from '../runtime.ts'
import { Interrupted } from './interruption.ts'

/** What a command found out: the JSON document, and the same as lines for a person. */
export interface Answer {
  readonly json: unknown
  readonly text: string
}

interface CommonOptions {
  readonly json?: boolean
}

/** Adds `--json` and runs `work` as the operator; whether a server runs on the same data directory makes no difference. */
export function operatorCommand<Options extends object>(
  command: Command,
  work: (ctx: Context, options: Options, args: string[], runtime: Runtime) => Promise<Answer>,
): void {
  command.option('--json', 'print one JSON document and nothing else')
  command.action(async (...given: unknown[]) => {
    const options = command.opts() as Options & CommonOptions
    const args = given.slice(0, command.registeredArguments.length) as string[]
    await answer(options.json === true, async () => {
      const settings = quiet(readSettings(process.env))
      const runtime = await openRuntime(settings, openLog(settings.logLevel), { supervise: false })
      try {
        return await work(runtime.as({ kind: 'system' }), options, args, runtime)
      } finally {
        await runtime.close()
      }
    })
  })
}

/** Prints what `work` found out, or why it could not; the exit status tells the two apart. */
export async function answer(json: boolean, work: () => Promise<Answer>): Promise<void> {
  try {
    const found = await work()
    process.stdout.write(json ? `${JSON.stringify(found.json)}\n` : `${found.text}\n`)
  } catch (error) {
    const refusal = describe(error)
    if (json) process.stdout.write(`${JSON.stringify(refusal)}\n`)
    process.stderr.write(
      `${[refusal.error, ...(refusal.details ?? []).map((line) => `${line.path}: ${line.message}`)].join('\n')}\n`,
    )
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1
  }
}

/** The words that an operator gets: everything, since it is the operator's own machine. */
function describe(error: unknown): { error: string; error_code: string; details?: readonly Detail[] } {
  if (error instanceof ServiceError) {
    return {
      error: error.message,
      error_code: error.code,
      ...(error.details?.length ? { details: error.details } : {}),
    }
  }
  if (error instanceof JobFailure) {
    return { error: `${JOB_ERRORS[error.code]} (${error.code}: ${error.message})`, error_code: error.code }
  }
  if (error instanceof Interrupted) return { error: error.message, error_code: 'INTERRUPTED' }
  const code = error instanceof ConfigError ? 'INVALID_REQUEST' : 'INTERNAL_ERROR'
  return { error: error instanceof Error ? error.message : String(error), error_code: code }
}

/** A command's own lines are what matters: the log speaks up only when something is wrong. */
const quiet = (settings: Settings): Settings =>
  settings.logLevel === 'info' ? { ...settings, logLevel: 'warn' } : settings
