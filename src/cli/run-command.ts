import type { Command, Option } from 'commander'
import type { Settings } from '../context/config.ts'
import { ConfigError } from '../context/config-error.ts'
import { type Detail, ServiceError } from '../errors/service-error.ts'
import { JOB_ERRORS, JobFailure } from '../jobs/job-states.ts'
import type { Runtime } from '../runtime/runtime.ts'
import type { ServiceContext } from '../runtime/services.ts'
import type { Log } from '../values/log.ts'
import { printableLines } from '../values/printable.ts'
import type { Need } from './open-command.ts'
import { STANDARD_OUTPUT } from './write-whole.ts'

/** npm forwards Ctrl-C to a process that also receives it from the terminal, so close signals count as one. */
const SAME_SIGNAL_MS = 1000

/** Shell convention: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

/** A command's result: a JSON document, and the same as text for a user. */
export interface Answer {
  readonly json: unknown
  readonly text: string
  readonly warnings?: readonly string[]
}

interface CommonOptions {
  readonly json?: boolean
  readonly output?: string
}

/** null: the command has printed everything itself. */
type Work<Options> = (ctx: ServiceContext, options: Options, args: string[]) => Promise<Answer | null>

/** Adds `--json` and runs `work` as the operator. `work` imports its verbs lazily, so that a command starts fast. */
export function operatorCommand<Options extends object>(
  command: Command,
  work: Work<Options>,
  needs: readonly Need[] = [],
): void {
  addAction(command, async (settings, log, options: Options, args) => {
    const { openCommand } = await import('./open-command.ts')
    const { ctx, close } = await openCommand(settings, log, needs)
    return work(ctx, options, args).finally(close)
  })
}

export function serviceCommand<Options extends object>(
  command: Command,
  work: (runtime: Runtime, options: Options, args: string[]) => Promise<Answer | null>,
): void {
  addAction(command, async (settings, log, options: Options, args) => {
    const { openService } = await import('./open-command.ts')
    const runtime = await openService(settings, log)
    return work(runtime, options, args).finally(() => runtime.close())
  })
}

export function addAction<Options extends object>(
  command: Command,
  run: (settings: Settings, log: Log, options: Options, args: string[]) => Promise<Answer | null>,
): void {
  addWork(command, (options: Options, args) => withSettings((settings, log) => run(settings, log, options, args)))
}

function addWork<Options extends object>(
  command: Command,
  work: (options: Options, args: string[]) => Promise<Answer | null>,
): void {
  command.option('--json', 'print JSON and nothing else')
  command.action(async (...given: unknown[]) => {
    const options = command.opts() as Options & CommonOptions
    const args = given.slice(0, command.registeredArguments.length) as string[]
    await answer(options, () => work(options, args), command.options)
  })
}

async function withSettings<T>(work: (settings: Settings, log: Log) => Promise<T>): Promise<T> {
  const { readSettings } = await import('../context/config.ts')
  const { openLog } = await import('../values/log.ts')
  const settings = quiet(readSettings(process.env))
  return work(settings, openLog(settings.logLevel))
}

/**
 * Prints the result and exits with 0, or prints the error and exits with another status.
 * If a file goes to standard output, the result goes to standard error.
 * @param options the command's options, which error messages name
 */
export async function answer(
  { json, output }: CommonOptions,
  work: () => Promise<Answer | null>,
  options: readonly Option[] = [],
): Promise<void> {
  const out = output === STANDARD_OUTPUT ? process.stderr : process.stdout
  try {
    const found = await work()
    if (found !== null) out.write(json ? `${JSON.stringify(found.json)}\n` : `${found.text}\n`)
    if (!json) for (const line of found?.warnings ?? []) process.stderr.write(`${printableLines(`Warning: ${line}`)}\n`)
  } catch (error) {
    const described = describe(error)
    if (json) out.write(`${JSON.stringify(described)}\n`)
    if (!json || out !== process.stderr) process.stderr.write(`${toText(described, options)}\n`)
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1
  }
}

interface DescribedError {
  readonly error: string
  readonly error_code: string
  readonly details?: readonly Detail[]
}

const toText = ({ error, details = [] }: DescribedError, options: readonly Option[]): string =>
  printableLines(
    [
      error.replace(/: see `details`\.$/, ':'),
      ...details.map(({ path, message }) => `${optionOf(path, options) ?? path}: ${message}`),
    ].join('\n'),
  )

const optionOf = (path: string, options: readonly Option[]): string | null | undefined =>
  options.find((option) => [option.attributeName(), `${option.attributeName()}Id`].includes(path.slice(1)))?.long

function describe(error: unknown): DescribedError {
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
  if (error instanceof ConfigError)
    return { error: `Invalid configuration:\n${error.message}`, error_code: 'INVALID_REQUEST' }
  return { error: error instanceof Error ? error.message : String(error), error_code: 'INTERNAL_ERROR' }
}

const quiet = (settings: Settings): Settings =>
  settings.logLevel === 'info' ? { ...settings, logLevel: 'warn' } : settings

class Interrupted extends Error {
  override readonly name = 'Interrupted'
  readonly exitCode: number

  constructor(signal: keyof typeof EXIT_CODES, message: string) {
    super(message)
    this.exitCode = EXIT_CODES[signal]
  }
}

/**
 * Passes `work` a signal that Ctrl-C and SIGTERM abort; a second one ends the process.
 * @throws Interrupted if `work` fails after the first signal
 */
export async function withInterruption<T>(
  work: (signal: AbortSignal) => Promise<T>,
  said = 'Interrupted: no file was written.',
): Promise<T> {
  const interruption = new AbortController()
  let first = Number.POSITIVE_INFINITY
  const onSignal = (signal: NodeJS.Signals) => {
    const interrupted = new Interrupted(signal as keyof typeof EXIT_CODES, said)
    if (performance.now() - first > SAME_SIGNAL_MS) process.exit(interrupted.exitCode)
    if (interruption.signal.aborted) return
    first = performance.now()
    interruption.abort(interrupted)
  }
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal)
  try {
    return await work(interruption.signal)
  } catch (error) {
    throw interruption.signal.aborted ? interruption.signal.reason : error
  } finally {
    if (!interruption.signal.aborted) process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}
