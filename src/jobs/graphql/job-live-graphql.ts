import type { GraphQLResolveInfo } from 'graphql'
import { requireScope } from '../../access/require.ts'
import { ACCOUNT_ADMIN_SCOPE, JOB_READ_SCOPE } from '../../access/scopes.ts'
import { builder } from '../../graphql/builder.ts'
import { subscribedBy, watchedBelow } from '../../graphql/resolved-by.ts'
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
  ...['submittedBy', 'account', 'neighbours', 'pool', 'chatId', 'mediaUrl', 'mediaKind'],
  ...['tags', 'voice', 'characters', 'textExcerpt'],
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
  description: 'What has changed in a list of jobs, at most 500 jobs together.',
  fields: (t) => ({
    jobs: t.field({
      type: [JobInterface],
      description: 'Those that match, each in its latest state.',
      resolve: (changes) => changes.flatMap(({ job }) => job ?? []),
      extensions: { length: 100 },
    }),
    removedIds: t.idList({
      description:
        'Those that match no more, or were deleted. A list that holds one of them drops it; others need not know it.',
      resolve: (changes) => changes.flatMap(({ id, job }) => (job === null ? [id] : [])),
    }),
  }),
})

const EVERY = 'A message once in this time at most: 100 to 60,000; 1,000 unless given.'

builder.subscriptionFields((t) => ({
  jobUpdated: t.field({
    type: JobInterface,
    description: 'A job as it is now and whenever it changes, until it has ended.',
    args: { id: t.arg.id({ required: true, description: 'A job id.' }) },
    ...subscribedBy(jobUpdated, ({ id: jobId }: { id: string }, info) => watching({ jobId }, info)),
    resolve: (job: Job) => job,
  }),
  jobsUpdated: t.field({
    type: JobInterface,
    description: 'The jobs that match, whenever they change; first the unfinished ones as they are now.',
    deprecationReason: 'It never says that a job left the list. Follow `jobChanges`, which does.',
    args: {
      filter: t.arg({ type: JobFilterInput, description: 'Which jobs, by a value for each field.' }),
      where: t.arg({
        type: JobsFilterInput,
        description: 'Which jobs, by any filter of `jobs`. With both, both match.',
      }),
    },
    ...subscribedBy(jobsUpdated, (args: JobsUpdatedInput, info) => watching(args, info)),
    resolve: (job: Job) => job,
  }),
  jobsChanged: t.field({
    type: [JobInterface],
    description:
      'The jobs that match and have changed, each in its latest state, at most 500 in a message; first the unfinished ones as they are now.',
    deprecationReason: 'It never says that a job left the list. Follow `jobChanges`, which does.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
      everyMs: t.arg.int({ description: EVERY }),
      endedWithinMs: t.arg.int({
        description:
          "In milliseconds, 0 to 300,000: the subscription also begins with jobs that ended so long ago at most, up to 300 of the account's newest 1,000 jobs, before the filter. Without it, with unfinished ones alone.",
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
      'The jobs that match and have changed, each in its latest state, first the unfinished ones as they are now; and the ids of those that match no more or were deleted: with both a list stays true. Only what differs in a selected field is sent.',
    args: {
      filter: t.arg({ type: JobsFilterInput, description: 'Which jobs.' }),
      everyMs: t.arg.int({ description: EVERY }),
      endedWithinMs: t.arg.int({
        description:
          "In milliseconds, 0 to 300,000: the subscription also begins with jobs that ended so long ago at most, up to 300 of the account's newest 1,000 jobs; those of them that match no more are removed ones.",
      }),
    },
    ...subscribedBy(jobChanges, (args: JobsChangedInput, info) => watching(args, info, 'jobs')),
    resolve: (changes: readonly JobChange[]) => changes,
  }),
)

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
