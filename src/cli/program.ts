import { Command, Help, type Option } from 'commander'
import { VERSION } from '../values/version.ts'
import { addAccountCommands, addAuditCommand } from './commands/accounts.ts'
import { addBackupCommands } from './commands/backup.ts'
import { addCompletionCommand } from './commands/completion.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEndpointCommands } from './commands/endpoints.ts'
import { addEngineCommands } from './commands/engines.ts'
import { addJobCommands } from './commands/jobs.ts'
import { addKeyCommands } from './commands/keys.ts'
import { addLexiconCommands } from './commands/library/lexicon.ts'
import { addVoiceCommands } from './commands/library/voices.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addSayCommand } from './commands/say.ts'
import { addSecretCommands } from './commands/secrets.ts'
import { addServeCommands } from './commands/serve.ts'
import { addStorageCommands } from './commands/storage.ts'
import { addUserCommands } from './commands/users.ts'
import { addWebhookCommands } from './commands/webhooks.ts'
import { addWorkerCommands } from './commands/workers.ts'
import { addWorkflowCommands } from './commands/workflows.ts'

export function buildProgram(): Command {
  const program = new Command('sonant')
    .description('A self-hostable voice synthesis service. Settings come from environment variables: see README.md.')
    .version(VERSION)
    .showHelpAfterError()
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
  addServeCommands(program)
  addMigrateCommand(program)
  addBackupCommands(program)
  addDoctorCommand(program)
  addAccountCommands(program)
  addKeyCommands(program)
  addUserCommands(program)
  addAuditCommand(program)
  addEndpointCommands(program)
  addWorkflowCommands(program)
  addWorkerCommands(program)
  addJobCommands(program)
  addEngineCommands(program)
  addSayCommand(program)
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
