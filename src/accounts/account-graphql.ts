import { invalidRequest } from '../errors/service-error.ts'
import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, pagedBy, queriedBy, queryOf } from '../graphql/resolved-by.ts'
import {
  ACCOUNT_VIEW,
  type Account,
  type AccountInput,
  type AccountsInput,
  account,
  accounts,
  showAccount,
} from './accounts.ts'
import { createAccount } from './create-account.ts'
import { creditAccount } from './credit-account.ts'

export const AccountRef = builder.prismaObject('Account', {
  description: 'An account: its users and API keys share one credit balance.',
  interfaces: [NodeInterface],
  select: ACCOUNT_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The account id.' }),
    name: t.exposeString('name', { description: 'Its unique name.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    credits: t.float({ description: 'Its balance: a whole number.', resolve: ({ credits }) => Number(credits) }),
  }),
})

addNodeSource<Account>('acct', {
  typeOf: () => 'Account',
  load: (ctx, id, info) => showAccount(ctx, { account: id, query: queryOf(ctx, info, 'Account') }),
})

builder.queryField('account', (t) =>
  t.prismaField({
    description:
      "The caller's account. It needs the scope job:read, or a signed-in user; another account the scope operator, or a signed-in operator.",
    args: { account: t.arg.id({ description: "Id or name; the caller's own unless given." }) },
    ...queriedBy(AccountRef, account, (args: AccountInput) => args),
  }),
)

builder.queryField('accounts', (t) =>
  t.connection(
    {
      type: AccountRef,
      description: 'All accounts, oldest first. Needs the scope operator, or a signed-in operator.',
      args: {
        search: t.arg.string({
          description: 'Only accounts whose name contains this text, in any case, or whose id begins with it.',
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
    errors: {},
    description:
      'Creates an account. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      name: t.arg.string({ required: true, description: 'A name that no other account has.' }),
      credits: t.arg.int({ description: 'Its first credits.' }),
      largeCredits: t.arg.float({
        description: 'The same, instead of credits, where they are more than an Int holds.',
      }),
    },
    ...queriedBy(AccountRef, createAccount, (args: NewAccountArgs) => ({
      name: args.name,
      credits: wholeNumber('credits', args.credits, args.largeCredits),
    })),
  }),
  creditAccount: t.prismaField({
    errors: {},
    description:
      'Grants credits, or takes some back. Needs the scope operator, or a signed-in operator who gave the password within 15 minutes.',
    args: {
      account: t.arg.id({ required: true, description: 'Id or name.' }),
      amount: t.arg.int({ description: 'Negative to take back; the balance never goes below zero.' }),
      largeAmount: t.arg.float({ description: 'The same, instead of amount, where it is more than an Int holds.' }),
      idempotencyKey: t.arg.string({
        description: 'The same key and amount change the balance once in 24 hours; 1 to 255 printable characters.',
      }),
    },
    ...queriedBy(AccountRef, creditAccount, ({ amount, largeAmount, ...rest }: CreditArgs) => ({
      ...rest,
      amount: wholeNumber('amount', amount, largeAmount),
    })),
  }),
}))
