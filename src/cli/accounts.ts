import type { Command } from 'commander'
import type { Account } from '../accounts/account.ts'
import { createAccount } from '../accounts/create-account.ts'
import { creditAccount } from '../accounts/credit-account.ts'
import { showAccount } from '../accounts/show-account.ts'
import { wholeNumber } from './options.ts'
import { type Answer, operatorCommand } from './run-command.ts'

export function addAccountCommands(program: Command): void {
  const accounts = program.command('accounts').description('accounts and their credits')

  operatorCommand<{ name: string; credits: string }>(
    accounts
      .command('create')
      .description('make an account')
      .requiredOption('--name <name>', 'what it is called')
      .requiredOption('--credits <number>', 'its first credits'),
    async (ctx, options) =>
      describe(await createAccount(ctx, { name: options.name, credits: wholeNumber('--credits', options.credits) })),
  )

  operatorCommand<{ account: string; amount: string }>(
    accounts
      .command('credit')
      .description('grant credits, or take some back with a negative amount')
      .requiredOption('--account <account>', 'id or name')
      .requiredOption('--amount <number>', 'how many credits'),
    async (ctx, options) => {
      const account = await creditAccount(ctx, {
        account: options.account,
        amount: wholeNumber('--amount', options.amount),
      })
      return { json: { account_id: account.id, credits: Number(account.credits) }, text: describe(account).text }
    },
  )

  operatorCommand<{ account: string }>(
    accounts
      .command('show')
      .description('show an account and its balance')
      .requiredOption('--account <account>', 'id or name'),
    async (ctx, options) => describe(await showAccount(ctx, options)),
  )
}

const describe = (account: Account): Answer => ({
  json: { account_id: account.id, name: account.name, credits: Number(account.credits) },
  text: `${account.id}  ${account.name}  ${account.credits} credits`,
})
