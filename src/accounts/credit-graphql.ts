import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import {
  type CreditEntriesInput,
  type CreditEntry,
  type CreditKind,
  creditEntries,
  findCreditEntry,
} from './credit-entries.ts'

const CreditKindEnum = describedEnum<CreditKind>('CreditKind', 'Why a balance changed.', {
  grant: 'The operator gave or took credits.',
  charge: 'A worker took a job.',
  refund: 'A charged job failed or was cancelled.',
})

const CreditEntryRef = builder.objectRef<CreditEntry>('CreditEntry').implement({
  description: 'One change of a balance. All of them together are the balance.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.exposeID('id', { description: '`entry_…`: later entries have larger numbers.' }),
    kind: t.field({ type: CreditKindEnum, description: 'Why.', resolve: ({ kind }) => kind }),
    amount: t.float({
      description: 'A whole number, negative where it was taken.',
      resolve: (at) => Number(at.amount),
    }),
    jobId: t.exposeID('jobId', { nullable: true, description: 'The job that was charged or refunded.' }),
    createdAt: t.field({ type: 'DateTime', description: 'When.', resolve: (entry) => entry.createdAt }),
  }),
})

addNodeSource<CreditEntry>('entry', { typeOf: () => 'CreditEntry', load: findCreditEntry })

builder.queryField('creditEntries', (t) =>
  t.connection(
    {
      type: CreditEntryRef,
      description:
        "An account's ledger, newest first. Needs the scope account:admin, or a signed-in owner; of another account the scope operator.",
      args: { account: t.arg.id({ description: "Id or name; the caller's own unless given." }) },
      ...resolvedBy(creditEntries, (args: CreditEntriesInput) => args),
    },
    ...connectionOf('CreditEntry', 'a ledger'),
  ),
)
