import { requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../../access/scopes.ts'
import { builder } from '../../graphql/builder.ts'
import { subscribedBy } from '../../graphql/resolved-by.ts'
import { accountUpdated } from '../live/account-updated.ts'
import type { AccountState, DeliveryCounts, JobCounts } from '../live/read-account-states.ts'

const JobCountsRef = builder.objectRef<JobCounts>('JobCounts').implement({
  description: 'How many jobs there are of each status: whole numbers, exact.',
  fields: (t) => ({
    queued: t.exposeFloat('queued', { description: 'Waiting for a worker.' }),
    processing: t.exposeFloat('processing', { description: 'Taken by a worker.' }),
    completed: t.exposeFloat('completed', { description: 'Completed.' }),
    failed: t.exposeFloat('failed', { description: 'Failed or cancelled.' }),
  }),
})

const DeliveryCountsRef = builder.objectRef<DeliveryCounts>('DeliveryCounts').implement({
  description: 'How many webhook deliveries of the last 30 days there are in each state: whole numbers, exact.',
  fields: (t) => ({
    pending: t.exposeFloat('pending', { description: 'Under way, or waiting for another attempt.' }),
    succeeded: t.exposeFloat('succeeded', { description: 'Taken by their receivers.' }),
    failed: t.exposeFloat('failed', { description: 'Given up.' }),
  }),
})

const AccountStateRef = builder.objectRef<AccountState>('AccountState').implement({
  description: "An account's balance and counts at one moment.",
  fields: (t) => ({
    credits: t.exposeFloat('credits', { description: 'Its balance: a whole number.' }),
    jobCounts: t.field({
      type: JobCountsRef,
      nullable: true,
      description: 'Its jobs by status. Needs the scope job:read, or a signed-in user.',
      resolve: ({ jobCounts }, _args, ctx) => {
        requireScope(ctx, JOB_READ_SCOPE)
        return jobCounts
      },
    }),
    deliveryCounts: t.field({
      type: DeliveryCountsRef,
      nullable: true,
      description: 'Its webhook deliveries by state. Needs the scope account:admin, or a signed-in owner.',
      resolve: ({ deliveryCounts }, _args, ctx) => {
        requireScope(ctx, ACCOUNT_ADMIN_SCOPE)
        return deliveryCounts
      },
    }),
  }),
})

builder.subscriptionField('accountUpdated', (t) =>
  t.field({
    type: AccountStateRef,
    description:
      "The balance and counts of the caller's account: as they are now, and whenever they change, once a second at most.",
    ...subscribedBy(accountUpdated, () => undefined),
    resolve: (state: AccountState) => state,
  }),
)
