import type { Command } from 'commander'
import type { Account } from '../../accounts/account-view.ts'
import { everyPage } from '../every-page.ts'
import { wholeNumber } from '../options.ts'
import { type Answer, operatorCommand } from '../run-command.ts'
import { type Column, toTable } from '../table.ts'

const COLUMNS: readonly Column<Account>[] = [
  { head: 'account', cell: ({ id }) => id },
  { head: 'name', cell: ({ name }) => name },
  { head: 'credits', cell: ({ credits }) => credits },
]

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('accounts and their credits')
  addAccountList(accounts)
  addAccountMaking(accounts)
  addAccountCredits(accounts)
}

function addAccountMaking(accounts: Command): void {
  operatorCommand<{ name: string; credits: string }>(
    accounts
      .command('create')
      .description('make an account')
      .requiredOption('--name <name>', 'what it is called')
      .requiredOption('--credits <number>', 'its first credits'),
    async (ctx, options) => {
      const { createAccount } = await import('../../accounts/create-account.ts')
      const credits = wholeNumber('--credits', options.credits)
      return describe(await createAccount(ctx, { name: options.name, credits }))
    },
  )
}

function addAccountCredits(accounts: Command): void {
  operatorCommand<{ account: string; amount: string }>(
    accounts
      .command('credit')
      .description('grant credits, or take some back with a negative amount')
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--amount <number>', 'how many credits'),
    async (ctx, { account: named, amount }) => {
      const { creditAccount } = await import('../../accounts/credit-account.ts')
      const account = await creditAccount(ctx, { account: named, amount: wholeNumber('--amount', amount) })
      return { json: { account_id: account.id, credits: Number(account.credits) }, text: describe(account).text }
    },
  )

  operatorCommand<{ account: string }>(
    accounts
      .command('show')
      .description('show an account and its balance')
      .requiredOption('--account <account>', 'id or name'),
    async (ctx, options) => {
      const { showAccount } = await import('../../accounts/show-account.ts')
      return describe(await showAccount(ctx, options))
    },
  )
}

function addAccountList(accounts: Command): void {
  operatorCommand(accounts.command('list').description('list all accounts, oldest first'), async (ctx) => {
    const { accounts: listAccounts } = await import('../../accounts/accounts.ts')
    const all = await everyPage((page) => listAccounts(ctx, page))
    return { json: { items: all.map(toJson) }, text: toTable(COLUMNS, all) }
  })
}

const describe = (account: Account): Answer => ({ json: toJson(account), text: toTable(COLUMNS, [account]) })

const toJson = ({ id, name, credits }: Account) => ({ account_id: id, name, credits: Number(credits) })
