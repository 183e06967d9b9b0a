import { BatchLoader } from '../concurrency/batch-loader.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { builder, type GraphqlContext, result } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, pagedBy, presentedBy, queriedBy, queryOf } from '../graphql/resolved-by.ts'
import {
  ACCOUNT_VIEW,
  type Account,
  type AccountInput,
  type AccountsInput,
  account,
  accounts,
  findVisibleAccounts,
  loadAccounts,
  seesAccount,
} from './accounts.ts'
import { createAccount } from './create-account.ts'
import { creditAccount } from './credit-account.ts'
import { disableAccount, enableAccount } from './disable-account.ts'
import { shareOfLimit, usedThisMonth } from './monthly-usage.ts'
import { runningNow } from './running-jobs.ts'
import { type AccountChange, updateAccount } from './update-account.ts'

const usages = new BatchLoader<GraphqlContext, number>(usedThisMonth)

/** Credits that an account or a key has used this month. */
export const usageOf = async ({ id }: { readonly id: string }, _args: object, ctx: GraphqlContext): Promise<number> =>
  (await usages.load(ctx, id)) ?? 0

/** Share of the monthly limit that an account or a key has used. */
export const limitShareOf = async (
  one: { readonly id: string; readonly monthlyLimit: bigint | null },
  args: object,
  ctx: GraphqlContext,
): Promise<number | null> =>
  shareOfLimit(one.monthlyLimit === null ? 0 : await usageOf(one, args, ctx), one.monthlyLimit)

const runs = new BatchLoader<GraphqlContext, number>(runningNow)

/** Jobs of an account or a key that run now. */
export const runningOf = async ({ id }: { readonly id: string }, _args: object, ctx: GraphqlContext): Promise<number> =>
  (await runs.load(ctx, id)) ?? 0

const EXCEEDED = 'A submission that would exceed it is refused with PAYMENT_REQUIRED. Null if there is none.'
/** Fields of accounts and keys. */
export const MONTHLY_LIMIT = `Credits that may be used in a calendar month, in UTC. ${EXCEEDED}`
export const USED_THIS_MONTH =
  'Credits of the jobs that were submitted since the calendar month began, in UTC, waiting ones included. Failed and cancelled jobs give back to the month of their submission.'
export const LIMIT_SHARE =
  'Share of the monthly limit that is used: worth a warning from 0.8 on; 1 if it is used up, until the month ends in UTC. Null without a limit.'
export const MAX_RUNNING =
  'Number of jobs that may run at once; the others wait in the queue, in their order. Null if there is no limit.'
export const RUNNING_JOBS = 'Number of jobs that a worker performs now.'

export const AccountRef = builder.prismaObject('Account', {
  description: 'Account. Its users and API keys share one balance of credits.',
  interfaces: [NodeInterface],
  select: ACCOUNT_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the account.' }),
    name: t.exposeString('name', { description: 'Name of the account; no other account has it.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the account was created.' }),
    disabledAt: t.expose('disabledAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time when an operator disabled the account: its keys and users are refused. Null if they are not.',
    }),
    credits: t.float({
      description: 'Balance of the account in credits: a whole number.',
      resolve: ({ credits }) => Number(credits),
    }),
    monthlyLimit: t.float({
      nullable: true,
      description: `${MONTHLY_LIMIT} Operators set it.`,
      resolve: ({ monthlyLimit }) => (monthlyLimit === null ? null : Number(monthlyLimit)),
    }),
    usedThisMonth: t.float({ description: USED_THIS_MONTH, resolve: usageOf }),
    limitShare: t.float({ nullable: true, description: LIMIT_SHARE, resolve: limitShareOf }),
    maxRunning: t.exposeInt('maxRunning', { nullable: true, description: `${MAX_RUNNING} Operators set it.` }),
    runningJobs: t.int({ description: RUNNING_JOBS, resolve: runningOf }),
  }),
})

/** True if the caller sees the account that an object belongs to. */
export const seesAccountOf = (ctx: GraphqlContext, { accountId }: { readonly accountId: string }): boolean =>
  seesAccount(ctx, accountId)

addNodeSource<Account>('acct', {
  typeOf: () => 'Account',
  idOf: ({ id }) => id,
  load: (ctx, ids, info) => findVisibleAccounts(ctx, ids, queryOf(ctx, info, 'Account')),
})

builder.queryField('account', (t) =>
  t.prismaField({
    description:
      'Account of the caller, or another one. Needs the scope job:read, or a signed-in user; for another account the scope operator, or a signed-in operator.',
    args: { account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }) },
    ...queriedBy(AccountRef, account, (args: AccountInput) => args),
  }),
)

builder.queryField('accounts', (t) =>
  t.connection(
    {
      type: AccountRef,
      description: 'Accounts of the service, oldest first. Needs the scope operator, or a signed-in operator.',
      args: {
        search: t.arg.string({
          description: 'Text that the name of the account contains, in any case, or with which its id begins.',
        }),
      },
      ...pagedBy('Account', accounts, (args: AccountsInput) => args),
    },
    ...connectionOf('Account', 'accounts'),
  ),
)

interface NewAccountArgs {
  readonly name: string
  readonly credits?: number | null
  readonly largeCredits?: number | null
}

interface CreditArgs {
  readonly account: string
  readonly amount?: number | null
  readonly largeAmount?: number | null
  readonly idempotencyKey?: string | null
}

/** An Int argument cannot become wider without breaking clients, so a Float argument stands beside it. @throws INVALID_REQUEST */
function wholeNumber(
  name: 'credits' | 'amount',
  small: number | null | undefined,
  large: number | null | undefined,
): bigint {
  const given = [small, large].filter((value) => value != null)
  const [value] = given
  if (given.length !== 1 || value === undefined || !Number.isSafeInteger(value)) {
    const other = name === 'credits' ? 'largeCredits' : 'largeAmount'
    throw invalidRequest(`Give one whole number, as ${name} or as ${other}.`, [
      { path: `/${name}`, message: 'must be a whole number' },
    ])
  }
  return BigInt(value)
}

builder.mutationFields((t) => ({
  createAccount: t.prismaField({
    errors: result('New account', 'none was created'),
    description:
      'Creates an account. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      name: t.arg.string({ required: true, description: 'Name that no other account has.' }),
      credits: t.arg.int({ description: 'Credits of the new account; 0 unless given.' }),
      largeCredits: t.arg.float({
        description: 'Credits of the new account, instead of `credits`, if they are more than an Int holds.',
      }),
    },
    ...queriedBy(AccountRef, createAccount, (args: NewAccountArgs) => ({
      name: args.name,
      credits: wholeNumber('credits', args.credits, args.largeCredits),
    })),
  }),
}))

builder.mutationFields((t) => ({
  creditAccount: t.prismaField({
    errors: result('Account with its new balance', 'the balance stays as it is'),
    description:
      'Grants credits, or takes some back. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      account: t.arg.id({ required: true, description: 'Id or name of the account.' }),
      amount: t.arg.int({
        description: 'Credits to grant; negative to take some back. The balance never goes below zero.',
      }),
      largeAmount: t.arg.float({
        description: 'Credits to grant, instead of `amount`, if they are more than an Int holds.',
      }),
      idempotencyKey: t.arg.string({
        description:
          'Key of your own choice, 1 to 255 printable characters: the same key and amount change the balance once in 24 hours.',
      }),
    },
    ...presentedBy(
      AccountRef,
      creditAccount,
      ({ amount, largeAmount, ...rest }: CreditArgs) => ({
        ...rest,
        amount: wholeNumber('amount', amount, largeAmount),
      }),
      async (ctx, { id }, query) => (await loadAccounts(ctx, [id], query)).get(id)!,
    ),
  }),
}))

builder.mutationFields((t) => ({
  updateAccount: t.prismaField({
    errors: result('Changed account', 'the account stays as it is'),
    description:
      'Renames an account or changes its limits. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      account: t.arg.id({ required: true, description: 'Id or name of the account.' }),
      name: t.arg.string({
        description: 'Name that no other account has. The name stays as it is unless given.',
      }),
      monthlyLimit: t.arg.float({
        description:
          'Credits that the account may use in a calendar month, in UTC; null for no limit. The limit stays as it is unless given.',
      }),
      maxRunning: t.arg.int({
        description:
          'Number of jobs of the account that may run at once; null for no limit. The limit stays as it is unless given.',
      }),
    },
    ...queriedBy(AccountRef, updateAccount, (args: Omit<AccountChange, 'query'>) => args),
  }),
}))

const CONFIRMED = 'Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.'

builder.mutationFields((t) => ({
  disableAccount: t.prismaField({
    errors: result('Disabled account', 'the account may still be used'),
    description: `Refuses the keys and users of an account from now on, until it is enabled; jobs and webhooks under way go on. ${CONFIRMED}`,
    args: { account: t.arg.id({ required: true, description: 'Id or name of the account.' }) },
    ...queriedBy(AccountRef, disableAccount, (args: { account: string }) => args),
  }),
  enableAccount: t.prismaField({
    errors: result('Enabled account', 'the account stays disabled'),
    description: `Lets the keys and users of a disabled account use the service again. ${CONFIRMED}`,
    args: { account: t.arg.id({ required: true, description: 'Id or name of the account.' }) },
    ...queriedBy(AccountRef, enableAccount, (args: { account: string }) => args),
  }),
}))
