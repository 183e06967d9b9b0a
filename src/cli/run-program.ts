import { CommanderError } from 'commander'
import { VERSION } from '../values/version.ts'
import { buildProgram } from './program.ts'

const PREFIX = /^error: /

export async function runProgram(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', reportUnwritable)
  if (asksForVersion(argv)) return void process.stdout.write(`${JSON.stringify({ version: VERSION })}\n`)
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode
    if (error.exitCode === 0 || !asksForJson(argv)) return
    const message = error.code === 'commander.help' ? 'Name a command: --help lists them.' : error.message
    const described = { error: message.replace(PREFIX, ''), error_code: 'INVALID_REQUEST' }
    process.stdout.write(`${JSON.stringify(described)}\n`)
  }
}

/** EPIPE means that the reader (such as `head`) has enough. */
function reportUnwritable({ code }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return
  process.exitCode = 1
  process.stderr.write(`Standard output cannot be written (${code ?? 'unknown error'}).\n`)
}

const asksForVersion = (argv: readonly string[]): boolean => {
  const given = argv.slice(2)
  return given.length === 2 && given.includes('--json') && given.some((one) => one === '--version' || one === '-V')
}

const asksForJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).includes('--json')
}
