import type { Command } from 'commander'
import { operatorCommand } from '../run-command.ts'

export function addMigrateCommand(program: Command): void {
  operatorCommand(
    program.command('migrate').description('bring the database up to date, as every start does, and stop'),
    // Opening the runtime has done it.
    async () => ({ json: { migrated: true }, text: 'the database is up to date' }),
  )
}
