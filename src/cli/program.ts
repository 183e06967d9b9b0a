import { Command } from 'commander'
import { addAccountCommands } from './accounts.ts'
import { addEndpointCommands } from './endpoints.ts'
import { addCancelCommand } from './jobs-cancel.ts'
import { addKeyCommands } from './keys.ts'
import { addMigrateCommand } from './migrate.ts'
import { addSayCommand } from './say.ts'
import { addServeCommands } from './serve.ts'

/** The `sonant` command (contract.md section 9). */
export function buildProgram(): Command {
  const program = new Command('sonant').description('A self-hostable voice synthesis service.').showHelpAfterError()
  addServeCommands(program)
  addMigrateCommand(program)
  addAccountCommands(program)
  addKeyCommands(program)
  addEndpointCommands(program)
  addCancelCommand(program.command('jobs').description('jobs'))
  addSayCommand(program)
  return program
}
