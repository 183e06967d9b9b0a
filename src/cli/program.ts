import { Command, Help, type Option } from 'commander'
import { VERSION } from '../version.ts'
import { addAccountCommands } from './accounts.ts'
import { addCompletionCommand } from './completion.ts'
import { addEndpointCommands } from './endpoints.ts'
import { addEngineCommands } from './engines.ts'
import { addJobCommands } from './jobs.ts'
import { addKeyCommands } from './keys.ts'
import { addMigrateCommand } from './migrate.ts'
import { addSayCommand } from './say.ts'
import { addSecretCommands } from './secrets.ts'
import { addServeCommands } from './serve.ts'
import { addStorageCommands } from './storage.ts'
import { addUserCommands } from './users.ts'
import { addWebhookCommands } from './webhooks.ts'
import { addWorkerCommands } from './workers.ts'
import { addWorkflowCommands } from './workflows.ts'

/** The `sonant` command (contract.md section 9). */
export function buildProgram(): Command {
  const program = new Command('sonant')
    .description('A self-hostable voice synthesis service.')
    .version(VERSION)
    .showHelpAfterError()
    .configureHelp({ optionDescription: describeOption })
    .exitOverride()
  addServeCommands(program)
  addMigrateCommand(program)
  addAccountCommands(program)
  addKeyCommands(program)
  addUserCommands(program)
  addEndpointCommands(program)
  addWorkflowCommands(program)
  addWorkerCommands(program)
  addJobCommands(program)
  addEngineCommands(program)
  addSayCommand(program)
  addWebhookCommands(program)
  addSecretCommands(program)
  addStorageCommands(program)
  addCompletionCommand(program)
  return program
}

const help = new Help()

/** Says of an option that a command does not run without it. */
const describeOption = (option: Option): string =>
  `${help.optionDescription(option)}${option.mandatory ? ' (required)' : ''}`
