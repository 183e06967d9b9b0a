import { administers } from '../access/require.ts'
import { BatchLoader } from '../concurrency/batch-loader.ts'
import { NEWEST } from '../db/own/own-rows.ts'
import { builder, type GraphqlContext } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, loadedBy, pagedBy, queryOf, resolvedBy } from '../graphql/resolved-by.ts'
import { describedEnum, TimeRangeInput } from '../graphql/scalars.ts'
import { toJob } from '../jobs/graphql/job-graphql.ts'
import { AccountRef, seesAccountOf } from './account-graphql.ts'
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
  findCreditEntries,
  type LedgerDay,
  newestEntries,
} from './credit-entries.ts'
import { type Spending, type SpendingInput, spending } from './spending.ts'

const CreditKindEnum = describedEnum<CreditKind>('CreditKind', 'Reason of a change of a balance.', {
  grant: 'The operator granted credits or took some back.',
  charge: 'A worker took a job, which was charged.',
  refund: 'A charged job failed or was cancelled, and its charge was given back.',
  carried:
    'The sum of a month of jobs that a release up to 0.1.0 deleted. Jobs that later releases delete keep their entries.',
})

const balances = new BatchLoader<GraphqlContext, number>(balancesAfter)

const CreditEntryRef = builder.prismaObject('CreditEntry', {
  description: 'Change of a balance. The sum of all of them is the balance.',
  interfaces: [NodeInterface],
  select: ENTRY_VIEW,
  fields: (t) => ({
    id: t.id({ description: 'Id of the entry: `entry_…`.', resolve: entryId }),
    kind: t.expose('kind', { type: CreditKindEnum, description: 'Reason of the change.' }),
    amount: t.float({
      description: 'Credits by which the balance changed: a whole number, negative for a charge.',
      resolve: (at) => Number(at.amount),
    }),
    balance: t.float({
      nullable: true,
      description: 'Balance in credits after this entry.',
      resolve: ({ id }, _args, ctx) => balances.load(ctx, String(id)),
    }),
    jobId: t.exposeID('jobId', {
      nullable: true,
      description: 'Id of the job that was charged or refunded; it may be deleted by now. Null for other reasons.',
    }),
    job: t.field(toJob((entry: CreditEntry) => entry.jobId, 'Job that was charged or refunded.')),
    account: t.relation('account', {
      type: AccountRef,
      nullable: true,
      description: 'Account whose balance changed. Null if the caller may not read it.',
      seenBy: seesAccountOf,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of the change.' }),
  }),
})

builder.prismaObjectField(AccountRef, 'creditEntries', (t) =>
  t.prismaField({
    ...loadedBy([CreditEntryRef], newestEntries, ({ id }: { readonly id: string }) => id),
    description: `Newest ${NEWEST} entries of the ledger, newest first. Null if the caller may not read it.`,
    seenBy: (ctx, { id }) => administers(ctx, id),
    extensions: { length: NEWEST },
  }),
)

addNodeSource<CreditEntry>('entry', {
  typeOf: () => 'CreditEntry',
  idOf: entryId,
  load: (ctx, ids, info) => findCreditEntries(ctx, ids, queryOf(ctx, info, 'CreditEntry')),
})

builder.queryField('creditEntries', (t) =>
  t.connection(
    {
      type: CreditEntryRef,
      description:
        'Ledger of an account: the changes of its balance, newest first. Needs the scope account:admin, or a signed-in owner; for another account the scope operator.',
      args: {
        account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }),
        kinds: t.arg({ type: [CreditKindEnum], description: 'Reasons of the changes; all of them unless given.' }),
        createdAt: t.arg({ type: TimeRangeInput, description: 'Range of time of the changes; any time unless given.' }),
      },
      ...pagedBy('CreditEntry', creditEntries, (args: CreditEntriesInput) => args),
    },
    ...connectionOf('CreditEntry', 'a ledger'),
  ),
)

const CreditDayRef = builder.objectRef<LedgerDay>('CreditDay').implement({
  description:
    'Sums of the changes of a balance in one day, in whole credits. Granted less spent and carried, over all days, is the balance.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Beginning of the day.' }),
    granted: t.exposeFloat('granted', { description: 'Credits that the operator granted, less those taken back.' }),
    spent: t.exposeFloat('spent', { description: 'Charges less refunds, in credits.' }),
    carried: t.exposeFloat('carried', {
      description:
        'Charges less refunds, in credits, of the jobs of a whole month that a release up to 0.1.0 deleted; they are in the day that contains the beginning of that month in UTC.',
    }),
  }),
})

builder.queryField('creditDays', (t) =>
  t.field({
    type: [CreditDayRef],
    description:
      "Sums of an account's ledger day by day, oldest first, days without entries included. Needs the scope account:admin, or a signed-in owner; for another account the scope operator.",
    args: {
      account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }),
      from: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Beginning of the range; the whole day that contains it is the first one.',
      }),
      to: t.arg({
        type: 'DateTime',
        description: 'End of the range, exclusive; now unless given. At most 366 days after `from`.',
      }),
      timeZone: t.arg.string({ description: 'Time zone of the days, such as `Europe/Berlin`; UTC unless given.' }),
    },
    ...resolvedBy(creditDays, (args: CreditDaysInput) => args),
  }),
)

const SpendingRef = builder.objectRef<Spending>('Spending').implement({
  description: 'Credits that an account spends in the calendar month, in UTC, and how long its balance lasts.',
  fields: (t) => ({
    month: t.expose('month', { type: 'DateTime', description: 'Beginning of the month.' }),
    spent: t.exposeFloat('spent', { description: 'Charges less refunds since the month began, in credits.' }),
    forecast: t.exposeFloat('forecast', {
      nullable: true,
      description:
        '`spent`, plus for each day that is left of the month the mean of its weekday over the last 28 whole days, today by the part that is left. A weekday that was not seen yet counts as `perDay`. Null if `perDay` is.',
    }),
    perDay: t.exposeFloat('perDay', {
      nullable: true,
      description:
        'Credits a day: mean of the last 28 whole days, or of those since the account was made. Null in its first day, and if nothing was spent.',
    }),
    balanceDays: t.exposeFloat('balanceDays', {
      nullable: true,
      description: 'Whole days that the balance lasts at `perDay`. Null if that is.',
    }),
  }),
})

builder.queryField('spending', (t) =>
  t.field({
    type: SpendingRef,
    nullable: true,
    description:
      'Spending of an account in this month with its forecast. Needs the scope account:admin, or a signed-in owner; for another account the scope operator.',
    args: { account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }) },
    ...resolvedBy(spending, (args: SpendingInput) => args),
  }),
)
