import { BatchLoader } from '../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, pagedBy, queryOf, resolvedBy } from '../graphql/resolved-by.ts'
import { describedEnum, TimeRangeInput } from '../graphql/scalars.ts'
import {
  balancesAfter,
  type CreditDaysInput,
  type CreditEntriesInput,
  type CreditEntry,
  type CreditKind,
  creditDays,
  creditEntries,
  ENTRY_VIEW,
  entryId,
  findCreditEntry,
  type LedgerDay,
} from './credit-entries.ts'

const CreditKindEnum = describedEnum<CreditKind>('CreditKind', 'Why a balance changed.', {
  grant: 'The operator gave or took credits.',
  charge: 'A worker took a job.',
  refund: 'A charged job failed or was cancelled.',
  carried: 'The sum of a month of jobs that a release up to 0.1.0 deleted; others keep their entries.',
})

const balances = new BatchLoader<GraphqlContext, number>(balancesAfter)

const CreditEntryRef = builder.prismaObject('CreditEntry', {
  description: 'One change of a balance. All of them together are the balance.',
  interfaces: [NodeInterface],
  select: ENTRY_VIEW,
  fields: (t) => ({
    id: t.id({ description: '`entry_…`.', resolve: entryId }),
    kind: t.expose('kind', { type: CreditKindEnum, description: 'Why.' }),
    amount: t.float({
      description: 'A whole number of credits, negative for a charge.',
      resolve: (at) => Number(at.amount),
    }),
    balance: t.float({
      nullable: true,
      description: 'The balance after this entry.',
      resolve: ({ id }, _args, ctx) => balances.load(ctx, String(id)),
    }),
    jobId: t.exposeID('jobId', {
      nullable: true,
      description: 'The job that was charged or refunded; it may be deleted by now.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
})

addNodeSource<CreditEntry>('entry', {
  typeOf: () => 'CreditEntry',
  load: (ctx, id, info) => findCreditEntry(ctx, id, queryOf(ctx, info, 'CreditEntry')),
})

builder.queryField('creditEntries', (t) =>
  t.connection(
    {
      type: CreditEntryRef,
      description:
        "An account's ledger, newest first. Needs the scope account:admin, or a signed-in owner; of another account the scope operator.",
      args: {
        account: t.arg.id({ description: "Id or name; the caller's own unless given." }),
        kinds: t.arg({ type: [CreditKindEnum], description: 'Only of these kinds.' }),
        createdAt: t.arg({ type: TimeRangeInput, description: 'Only of this range.' }),
      },
      ...pagedBy('CreditEntry', creditEntries, (args: CreditEntriesInput) => args),
    },
    ...connectionOf('CreditEntry', 'a ledger'),
  ),
)

const CreditDayRef = builder.objectRef<LedgerDay>('CreditDay').implement({
  description:
    'What changed a balance in one day, in whole credits. Granted less spent and carried, over all days, is the balance.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When the day begins.' }),
    granted: t.exposeFloat('granted', { description: 'What the operator granted, less what was taken back.' }),
    spent: t.exposeFloat('spent', { description: 'Charges less refunds.' }),
    carried: t.exposeFloat('carried', {
      description:
        'Charges less refunds of the jobs of a whole month that a release up to 0.1.0 deleted, in the day of its first instant in UTC.',
    }),
  }),
})

builder.queryField('creditDays', (t) =>
  t.field({
    type: [CreditDayRef],
    description:
      "The sums of an account's ledger day by day, oldest first; days without entries are there as well. Needs the scope account:admin, or a signed-in owner; of another account the scope operator.",
    args: {
      account: t.arg.id({ description: "Id or name; the caller's own unless given." }),
      from: t.arg({
        type: 'DateTime',
        required: true,
        description: 'The first day is the one that it lies in, whole.',
      }),
      to: t.arg({ type: 'DateTime', description: 'Exclusive; now unless given. At most 366 days later.' }),
      timeZone: t.arg.string({ description: 'Whose days: `Europe/Berlin`. UTC unless given.' }),
    },
    ...resolvedBy(creditDays, (args: CreditDaysInput) => args),
  }),
)
