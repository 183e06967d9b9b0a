import { CommanderError } from 'commander'
import { buildProgram } from './program.ts'

const PREFIX = /^error: /

/** Runs a command line; a mistake in it is told like every other mistake, with `--json` as one document (contract.md section 9). */
export async function runProgram(argv: readonly string[]): Promise<void> {
  process.stdout.on('error', ignoreClosed)
  try {
    await buildProgram().parseAsync(argv)
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode
    // Help and version are what was asked for, and a mistake has been told in words on stderr.
    if (error.exitCode === 0 || !asksForJson(argv)) return
    const message = error.code === 'commander.help' ? 'Name a command: --help lists them.' : error.message
    const refusal = { error: message.replace(PREFIX, ''), error_code: 'INVALID_REQUEST' }
    process.stdout.write(`${JSON.stringify(refusal)}\n`)
  }
}

/** Whoever reads no further, as `head` does, has all that was wanted. */
function ignoreClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** What comes after `--` are arguments. */
const asksForJson = (argv: readonly string[]): boolean => {
  const end = argv.indexOf('--')
  return argv.slice(0, end < 0 ? undefined : end).includes('--json')
}
