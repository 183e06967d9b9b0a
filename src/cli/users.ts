import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { invalidRequest } from '../errors.ts'
import { createUser } from '../users/create-user.ts'
import { USER_ROLES, type UserRole } from '../users/user.ts'
import { operatorCommand } from './run-command.ts'

const GENERATED_BYTES = 15
const STDIN = 0

interface Options {
  readonly account: string
  readonly email: string
  readonly role: UserRole
  readonly passwordFile?: string
}

export function addUserCommands(program: Command): void {
  const users = program.command('users').description('people who sign in')

  operatorCommand<Options>(
    users
      .command('create')
      .description('let a person sign in; without --password-file a password is made and shown, this once')
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--email <address>', 'what the person signs in with')
      .addOption(new Option('--role <role>', 'what the person may do').choices(USER_ROLES).default('owner'))
      .option('--password-file <file>', 'a file whose first line is the password; - is standard input'),
    async (ctx, { account, email, role, passwordFile }) => {
      const given = passwordFile === undefined ? null : readPassword(passwordFile)
      const password = given ?? randomBytes(GENERATED_BYTES).toString('base64url')
      const user = await createUser(ctx, { account, email, role, password })
      const shown = given === null ? { password } : {}
      return {
        json: { user_id: user.id, account_id: user.accountId, email: user.email, role: user.role, ...shown },
        text: `${user.id}  ${user.email}${given === null ? `\n${password}\nThe password is not shown again.` : ''}`,
      }
    },
  )
}

function readPassword(file: string): string {
  try {
    return readFileSync(file === '-' ? STDIN : file, 'utf8').split(/\r?\n/, 1)[0] ?? ''
  } catch (error) {
    throw invalidRequest(`Check --password-file: it cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
