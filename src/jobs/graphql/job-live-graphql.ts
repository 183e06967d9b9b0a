import type { GraphQLResolveInfo } from 'graphql'
import { requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../../access/scopes.ts'
import { AccountRef } from '../../accounts/account-graphql.ts'
import { account } from '../../accounts/accounts.ts'
import { builder } from '../../graphql/builder.ts'
import { queriedBy, subscribedBy, watchedBelow } from '../../graphql/resolved-by.ts'
import type { Job } from '../job-shape.ts'
import { type AccountState, accountUpdated, type DeliveryCounts, type JobCounts } from '../live/account-feed.ts'
import type { JobChange } from '../live/followers.ts'
import type { ChangingValue } from '../live/job-feed.ts'
import {
  type JobsChangedInput,
  type JobsUpdatedInput,
  jobChanges,
  jobsChanged,
  jobsUpdated,
  jobUpdated,
} from '../live/jobs-updated.ts'
import { JobInterface } from './job-graphql.ts'
import { JobFilterInput, JobsFilterInput } from './jobs-graphql.ts'

const FIXED = [
  ...['__typename', 'id', 'type', 'endpointKey', 'createdAt', 'apiKeyId', 'apiKeyName', 'cost'],
  ...['submittedBy', 'apiKey', 'endpoint', 'account', 'neighbours', 'pool', 'chatId', 'mediaUrl', 'mediaKind'],
  ...['tags', 'voice', 'voiceName', 'characters', 'textExcerpt'],
]

/** Fields of jobs by what changes them. The status changes all others, if anything does. */
const CHANGED_BY: Readonly<Record<string, readonly ChangingValue[]>> = {
  ...Object.fromEntries(FIXED.map((name) => [name, []])),
  ...changedBy('isQueued', 'queuePosition', 'poolServed'),
  ...changedBy(
    'isCompleted',
    'artifacts',
    'outputs',
    'audio',
    'audioMs',
    'audioUrl',
    'captions',
    'timing',
    'words',
    'sentences',
  ),
  ...changedBy('isFailed', 'error', 'errorCode', 'cause', 'liveUrl'),
  ...changedBy('isOver', 'completedAt', 'durationMs', 'deliveries'),
  ...changedBy('startedAt', 'startedAt', 'waitMs'),
  ...changedBy('hasRun', 'runMs'),
  ...changedBy('attempt', 'attempts'),
  ...changedBy('releases', 'releases'),
  ...changedBy('isProhibited', 'isProhibited'),
  ...changedBy('hasReason', 'reason'),
  ...changedBy('chunksDone', 'chunksDone'),
  ...changedBy('chunksTotal', 'chunksTotal'),
  ...changedBy('isVoiceLoading', 'isVoiceLoading'),
  attemptHistory: ['attempt', 'waitsAgain', 'hasTried'],
  result: ['isCompleted', 'isProhibited'],
}

function changedBy(value: ChangingValue, ...names: string[]): Record<string, readonly ChangingValue[]> {
  return Object.fromEntries(names.map((name) => [name, [value]]))
}

const watching = <Input>(args: Input, info: GraphQLResolveInfo, of: string | null = null) => ({
  ...args,
  watched: watchedBelow(info, CHANGED_BY, 'status', of),
})

const JobChangesRef = builder.objectRef<readonly JobChange[]>('JobChanges').implement({
  description: 'Changes of a list of jobs: at most 500 jobs and 10,000 ids of removed ones together.',
  fields: (t) => ({
    jobs: t.field({
      type: [JobInterface],
      description: 'Jobs that changed and match the filter, each in its latest state.',
      resolve: (changes) => changes.flatMap(({ job }) => job ?? []),
      extensions: { length: 100 },
    }),
    removedIds: t.idList({
      description:
        'Ids of jobs that no longer match the filter, or were deleted. A client removes them from its list and ignores ids that it does not know.',
      resolve: (changes) => changes.flatMap(({ id, job }) => (job === null ? [id] : [])),
    }),
  }),
})

const EVERY = 'Shortest time between two messages in milliseconds: 100 to 60,000; 1,000 unless given.'

builder.subscriptionFields((t) => ({
  jobUpdated: t.field({
    type: JobInterface,
    description: 'Job as it is now, and again whenever it changes, until it has ended.',
    args: { id: t.arg.id({ required: true, description: 'Id of a job.' }) },
    ...subscribedBy(jobUpdated, ({ id: jobId }: { id: string }, info) => watching({ jobId }, info)),
    resolve: (job: Job) => job,
  }),
}))

builder.subscriptionFields((t) => ({
  jobsUpdated: t.field({
    type: JobInterface,
    description:
      'Jobs that match, one in each message, whenever they change; first the unfinished ones that match as they are now, up to 500, found as `jobChanges` finds them.',
    deprecationReason: 'It never says that a job left the list. Follow `jobChanges`, which does.',
    args: {
      filter: t.arg({
        type: JobFilterInput,
        deprecationReason: 'Use `filter` of `jobChanges`.',
        description: 'Jobs that are followed, by a value for each field.',
      }),
      where: t.arg({
        type: JobsFilterInput,
        deprecationReason: 'Use `filter` of `jobChanges`.',
        description: 'Jobs that are followed, by any filter of `jobs`. If `filter` is given too, jobs match both.',
      }),
    },
    ...subscribedBy(jobsUpdated, (args: JobsUpdatedInput, info) => watching(args, info)),
    resolve: (job: Job) => job,
  }),
  jobsChanged: t.field({
    type: [JobInterface],
    description:
      'Jobs that match and have changed, each in its latest state, at most 500 in a message; first the unfinished ones that match as they are now, up to 500, found as `jobChanges` finds them.',
    deprecationReason: 'It never says that a job left the list. Follow `jobChanges`, which does.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Jobs that are followed; all of the account unless given.' }),
      everyMs: t.arg.int({ description: EVERY }),
      endedWithinMs: t.arg.int({
        description:
          "Milliseconds, 0 to 300,000. The subscription also begins with the jobs that ended within this time, up to 300 of the account's newest 1,000 jobs, before the filter. Without it, only with the unfinished ones.",
      }),
    },
    ...subscribedBy(jobsChanged, (args: JobsChangedInput, info) => watching(args, info)),
    resolve: (jobs: readonly Job[]) => [...jobs],
    extensions: { verb: jobsChanged, length: 100 },
  }),
}))

builder.subscriptionField('jobChanges', (t) =>
  t.field({
    type: JobChangesRef,
    description:
      "Changes of the jobs that match: those of which a selected field changed, and the ids of those that no longer match or were deleted, so that a client's list stays true. It begins with the unfinished jobs that match as they are now, up to 500: those that a worker performs, then the newest that wait. They are searched among the newest 10,000 of each that match the filter's `ids`, `idPrefix` and `createdAt`; a query finds the others. A change of a job's `deliveries` alone sends nothing: `deliveryChanges` follows those.",
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Jobs that are followed; all of the account unless given.' }),
      everyMs: t.arg.int({ description: EVERY }),
      endedWithinMs: t.arg.int({
        description:
          "Milliseconds, 0 to 300,000. The subscription also begins with the jobs that ended within this time, up to 300 of the account's newest 1,000 jobs; those of them that do not match the filter are in `removedIds`.",
      }),
    },
    ...subscribedBy(jobChanges, (args: JobsChangedInput, info) => watching(args, info, 'jobs')),
    resolve: (changes: readonly JobChange[]) => changes,
  }),
)

const JobCountsRef = builder.objectRef<JobCounts>('JobCounts').implement({
  description: 'Exact numbers of jobs by status.',
  fields: (t) => ({
    queued: t.exposeFloat('queued', { description: 'Number of jobs that wait for a worker.' }),
    processing: t.exposeFloat('processing', { description: 'Number of jobs that a worker performs.' }),
    completed: t.exposeFloat('completed', { description: 'Number of completed jobs.' }),
    failed: t.exposeFloat('failed', { description: 'Number of jobs that failed or were cancelled.' }),
  }),
})

const DeliveryCountsRef = builder.objectRef<DeliveryCounts>('DeliveryCounts').implement({
  description: 'Exact numbers of the webhook deliveries of the last 30 days by state.',
  fields: (t) => ({
    pending: t.exposeFloat('pending', {
      description: 'Number of deliveries that are under way or wait for another attempt.',
    }),
    succeeded: t.exposeFloat('succeeded', { description: 'Number of deliveries that their receivers accepted.' }),
    failed: t.exposeFloat('failed', { description: 'Number of deliveries that were given up.' }),
  }),
})

const AccountStateRef = builder.objectRef<AccountState>('AccountState').implement({
  description: 'Balance and counts of an account at one moment.',
  fields: (t) => ({
    credits: t.exposeFloat('credits', { description: 'Balance of the account in credits: a whole number.' }),
    account: t.prismaField({
      description: 'Account that has the balance.',
      ...queriedBy(AccountRef, account, () => ({})),
    }),
    jobCounts: t.field({
      type: JobCountsRef,
      nullable: true,
      description: "Numbers of the account's jobs by status. Needs the scope job:read, or a signed-in user.",
      resolve: ({ jobCounts }, _args, ctx) => {
        requireScope(ctx, JOB_READ_SCOPE)
        return jobCounts
      },
    }),
    deliveryCounts: t.field({
      type: DeliveryCountsRef,
      nullable: true,
      description:
        "Numbers of the account's webhook deliveries by state. Needs the scope account:admin, or a signed-in owner.",
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
      "Balance and counts of the caller's account as they are now, and again whenever they change, once a second at most.",
    ...subscribedBy(accountUpdated, () => undefined),
    resolve: (state: AccountState) => state,
  }),
)
