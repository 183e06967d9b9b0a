import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import type { Account } from './account.ts'
import { type AccountsInput, accounts } from './accounts.ts'
import { createAccount } from './create-account.ts'
import { creditAccount } from './credit-account.ts'
import {
  CREDIT_KINDS,
  type CreditEntriesInput,
  type CreditEntry,
  type CreditKind,
  creditEntries,
} from './credit-entries.ts'
import { account } from './own-account.ts'

const AccountRef = builder.objectRef<Account>('Account').implement({
  description: 'Who pays.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The account id.' }),
    name: t.exposeString('name', { description: 'Its name, of which there is one.' }),
    credits: t.float({ description: 'Its balance: a whole number.', resolve: ({ credits }) => Number(credits) }),
  }),
})

const CreditKindEnum = builder.enumType('CreditKind', {
  description: 'Why a balance changed.',
  values: Object.fromEntries(CREDIT_KINDS.map((value) => [value.toUpperCase(), { value }])) as {
    [K in CreditKind as Uppercase<K>]: { value: K }
  },
})

const CreditEntryRef = builder.objectRef<CreditEntry>('CreditEntry').implement({
  description: 'One change of a balance. All of them together are the balance.',
  fields: (t) => ({
    id: t.id({ description: 'Later entries have larger ones.', resolve: ({ id }) => String(id) }),
    kind: t.field({ type: CreditKindEnum, description: 'Why.', resolve: ({ kind }) => kind }),
    amount: t.float({
      description: 'A whole number, negative where it was taken.',
      resolve: (at) => Number(at.amount),
    }),
    jobId: t.exposeID('jobId', { nullable: true, description: 'The job that was charged or refunded.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When.', resolve: (entry) => entry.createdAt }),
  }),
})

const FIRST = '1 to 100; 50 unless given.'

builder.queryFields((t) => ({
  account: t.field({
    type: AccountRef,
    description: "The caller's account. Needs the scope account:admin, or a signed-in owner.",
    ...resolvedBy(account, () => undefined),
  }),
  creditEntries: t.field({
    type: [CreditEntryRef],
    description: "The account's ledger, newest first. Needs the scope account:admin, or a signed-in owner.",
    args: {
      first: t.arg.int({ description: FIRST }),
      after: t.arg.id({ description: 'The id of an entry: only older ones.' }),
    },
    ...resolvedBy(creditEntries, (args: CreditEntriesInput) => args),
  }),
  accounts: t.field({
    type: [AccountRef],
    description: 'All accounts, oldest first. Needs a key with the scope operator.',
    args: {
      first: t.arg.int({ description: FIRST }),
      after: t.arg.id({ description: 'An account id: only later ones.' }),
    },
    ...resolvedBy(accounts, (args: AccountsInput) => args),
  }),
}))

builder.mutationFields((t) => ({
  createAccount: t.field({
    type: AccountRef,
    errors: {},
    description: 'Makes an account. Needs a key with the scope operator.',
    args: {
      name: t.arg.string({ required: true, description: 'A name that no other account has.' }),
      credits: t.arg.int({ required: true, description: 'Its first credits.' }),
    },
    ...resolvedBy(createAccount, (args: { name: string; credits: number }) => ({
      name: args.name,
      credits: BigInt(args.credits),
    })),
  }),
  creditAccount: t.field({
    type: AccountRef,
    errors: {},
    description: 'Grants credits, or takes some back. Needs a key with the scope operator.',
    args: {
      account: t.arg.id({ required: true, description: 'Id or name.' }),
      amount: t.arg.int({ required: true, description: 'Negative to take back; the balance never goes below zero.' }),
    },
    ...resolvedBy(creditAccount, (args: { account: string; amount: number }) => ({
      account: args.account,
      amount: BigInt(args.amount),
    })),
  }),
}))
