import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { USER_ROLES, type UserRole } from '../../access/scopes.ts'
import { invalidRequest } from '../../errors/service-error.ts'
import type { NewSignInLink } from '../../users/sign-in-link.ts'
import type { User } from '../../users/users.ts'
import { commandLine } from '../../values/program.ts'
import { size } from '../options.ts'
import { operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const GENERATED_BYTES = 15
const STDIN = 0
const PASSWORD_FILE = [
  '--password-file <file>',
  'a file whose first line is the password; - is standard input',
] as const

const COLUMNS: readonly Column<User>[] = [
  { head: 'user', cell: ({ id }) => id },
  { head: 'email', cell: ({ email }) => email },
  { head: 'role', cell: ({ role }) => role },
  { head: 'operator', cell: ({ operator }) => (operator ? 'yes' : 'no') },
  { head: 'disabled (UTC)', cell: ({ disabledAt }) => disabledAt?.toISOString() ?? null },
]

const SIGNED_OUT = `Their sessions and sign-in links have ended: they sign in again, with their password or a link of "${commandLine('users sign-in-link')}".`

interface PasswordOption {
  readonly passwordFile?: string
}

interface Options extends PasswordOption {
  readonly account: string
  readonly email: string
  readonly role: UserRole
}

export function addUserCommands(program: Command): void {
  const users = program.command('users').description('users who sign in')
  addList(users)
  addStanding(users)
  addPassword(users)
  addReset(users)
  addLink(users)
  addOperator(users)

  operatorCommand<Options>(
    users
      .command('create')
      .description('let a user sign in; without --password-file a password is made and shown, this once')
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--email <address>', 'what the user signs in with')
      .addOption(new Option('--role <role>', 'what the user may do').choices(USER_ROLES).default('owner'))
      .option(...PASSWORD_FILE),
    async (ctx, { account, email, role, ...option }) => {
      const { createUser } = await import('../../users/create-user.ts')
      const { password, shown } = choosePassword(option)
      return withPassword(await createUser(ctx, { account, email, role, password }), shown)
    },
  )
}

function addPassword(users: Command): void {
  operatorCommand<PasswordOption>(
    users
      .command('set-password')
      .description(
        'give a user another password, and sign them out everywhere; without --password-file one is made and shown, this once',
      )
      .argument('<user>', 'id or e-mail address')
      .option(...PASSWORD_FILE),
    async (ctx, option, [user = '']) => {
      const { setPassword } = await import('../../users/change-password.ts')
      const { password, shown } = choosePassword(option)
      return withPassword(await setPassword(ctx, { user, password }), shown)
    },
  )
}

function addLink(users: Command): void {
  operatorCommand(
    users
      .command('sign-in-link')
      .description('print a link that signs a user in to the console, once and within 15 minutes')
      .argument('<user>', 'id or e-mail address'),
    async (ctx, _options, [user = '']) => {
      const { createSignInLink } = await import('../../users/sign-in-link.ts')
      return shownLink(await createSignInLink(ctx, { user }))
    },
  )
}

function addReset(users: Command): void {
  operatorCommand(
    users
      .command('reset-password')
      .description(
        "take a user's password away, sign them out everywhere, and print a link by which they choose another, within three days",
      )
      .argument('<user>', 'id or e-mail address'),
    async (ctx, _options, [user = '']) => {
      const { resetPassword } = await import('../../users/change-password.ts')
      return shownLink((await resetPassword(ctx, { user })).signInLink)
    },
  )
}

const shownLink = ({ url, expiresAt }: NewSignInLink) => ({
  json: { url, expires_at: expiresAt },
  text: `${url}\nIt signs in once, until ${expiresAt.toISOString()}.`,
})

function choosePassword({ passwordFile }: PasswordOption): { password: string; shown: { password?: string } } {
  if (passwordFile !== undefined) return { password: readPassword(passwordFile), shown: {} }
  const password = randomBytes(GENERATED_BYTES).toString('base64url')
  return { password, shown: { password } }
}

const withPassword = ({ id, accountId, email, role }: User, shown: { password?: string }) => ({
  json: { user_id: id, account_id: accountId, email, role, ...shown },
  text: [`${id}  ${email}`, ...Object.values(shown).flatMap((made) => [made, 'The password is not shown again.'])].join(
    '\n',
  ),
})

function addList(users: Command): void {
  operatorCommand<{ account: string; first?: string; after?: string }>(
    users
      .command('list')
      .description('the users of an account, oldest first')
      .requiredOption('--account <account>', 'id or name')
      .option('--first <number>', 'how many, 1 to 100')
      .option('--after <id>', 'only users added after this one'),
    async (ctx, { account, first, after }) => {
      const { users: listUsers } = await import('../../users/users.ts')
      const page = { account, after, first: size('--first', first) }
      const { edges, pageInfo } = await listUsers(ctx, page)
      const users = edges.map(({ node }) => node)
      const items = users.map(toJson)
      return { json: { items, users: items, has_more: pageInfo.hasNextPage }, text: toTable(COLUMNS, users) }
    },
  )
}

function addStanding(users: Command): void {
  operatorCommand(
    users
      .command('disable')
      .description('keep a user from signing in, and end their sessions')
      .argument('<user>', 'id or e-mail address'),
    async (ctx, _options, [user = '']) => {
      const { disableUser } = await import('../../users/update-user.ts')
      return shown(await disableUser(ctx, { user }))
    },
  )
  operatorCommand(
    users.command('enable').description('let a disabled user sign in again').argument('<user>', 'id or e-mail address'),
    async (ctx, _options, [user = '']) => {
      const { enableUser } = await import('../../users/update-user.ts')
      return shown(await enableUser(ctx, { user }))
    },
  )
}

function addOperator(users: Command): void {
  operatorCommand<{ off?: boolean }>(
    users
      .command('set-operator')
      .description('let a user operate this service once signed in, or no longer; ends their sessions')
      .argument('<user>', 'id or e-mail address')
      .option('--off', 'take the rights of an operator away'),
    async (ctx, { off }, [user = '']) => {
      const { setOperator } = await import('../../users/update-user.ts')
      const { json, text } = shown(await setOperator(ctx, { user, operator: off !== true }))
      return { json, text: `${text}\n${SIGNED_OUT}` }
    },
  )
}

const shown = (user: User) => ({ json: toJson(user), text: toTable(COLUMNS, [user]) })

const toJson = ({ id, accountId, email, role, operator, createdAt, disabledAt }: User) => ({
  user_id: id,
  account_id: accountId,
  email,
  role,
  operator,
  created_at: createdAt,
  disabled_at: disabledAt,
})

function readPassword(file: string): string {
  try {
    return readFileSync(file === '-' ? STDIN : file, 'utf8').split(/\r?\n/, 1)[0] ?? ''
  } catch (error) {
    throw invalidRequest(`Check --password-file: it cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
