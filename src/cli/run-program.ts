import { Command, CommanderError, Help, type Option } from 'commander'
import { VERSION } from '../values/program.ts'
import { addAccountCommands, addAuditCommand } from './commands/accounts.ts'
import { addArchiveCommands } from './commands/archive.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addBatchCommand } from './commands/batch.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addDataCommands } from './commands/data.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEndpointCommands, addWorkflowCommands } from './commands/endpoints.ts'
import { addEngineCommands } from './commands/engines.ts'
import { addJobCommands } from './commands/jobs.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addLexiconCommands, addVoiceCommands } from './commands/library.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addModelCommands } from './commands/models.ts'
import { addReadCommand } from './commands/read.ts'
import { addSayCommand } from './commands/say.ts'
import { addSecretCommands } from './commands/secrets.ts'
import { addServeCommands } from './commands/serve.ts'
import { addStorageCommands } from './commands/storage.ts'
import { addUsageCommand } from './commands/usage.ts'
import { addUserCommands } from './commands/users.ts'
import { addWebhookCommands } from './commands/webhooks.ts'
import { addWorkerCommands } from './commands/workers.ts'

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

export function buildProgram(): Command {
  const program = new Command('sonant')
    .description('A self-hostable voice synthesis service. Settings come from environment variables: see README.md.')
    .version(VERSION)
    .showHelpAfterError('Add --help to see what there is.')
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
  addServeCommands(program)
  addMigrateCommand(program)
  addBackupCommands(program)
  addDoctorCommand(program)
  addAccountCommands(program)
  addKeyCommands(program)
  addUsageCommand(program)
  addUserCommands(program)
  addAuditCommand(program)
  addEndpointCommands(program)
  addWorkflowCommands(program)
  addWorkerCommands(program)
  addJobCommands(program)
  addArchiveCommands(program)
  addDataCommands(program)
  addEngineCommands(program)
  addModelCommands(program)
  addSayCommand(program)
  addBatchCommand(program)
  addReadCommand(program)
  addVoiceCommands(program)
  addLexiconCommands(program)
  addWebhookCommands(program)
  addSecretCommands(program)
  addStorageCommands(program)
  addCompletionCommand(program)
  return program
}

const help = new Help()

const describeOption = (option: Option): string =>
  `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`
