import { builder } from '../../graphql/builder.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import { type UsageDay, type UsageDaysGroup, type UsageDaysInput, usageDays } from '../list/usage-days.ts'

/** PostgreSQL may read each job. */
const COST = 250

const UsageGroupEnum = describedEnum<UsageDaysGroup>('UsageGroup', 'Property by which usage is grouped.', {
  api_key: 'API key that submitted the jobs.',
  endpoint: 'Endpoint or workflow of the jobs.',
  user: 'User that submitted the jobs.',
  tag: 'Tag of the jobs. A job counts in each of its tags, so the sums of tags may be more than all.',
})

const UsageDayRef = builder.objectRef<UsageDay>('UsageDay').implement({
  description: 'Usage of a group in one day. A group without any in a day has none for it.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'Beginning of the day; of a sum that of the range.' }),
    group: t.exposeString('group', {
      nullable: true,
      description:
        'Id of the key or user, endpoint, or tag. Null for jobs without one; among users and tags for deleted jobs, too.',
    }),
    name: t.exposeString('name', {
      nullable: true,
      description:
        'Name of the key, also after it is deleted, or e-mail address of the user; endpoints and tags are their own names.',
    }),
    isDeleted: t.exposeBoolean('isDeleted', { description: 'True if the group is an API key that was deleted.' }),
    credits: t.exposeFloat('credits', {
      description: 'Charges less refunds of the ledger in that day. Those of deleted jobs stay.',
    }),
    jobs: t.exposeFloat('jobs', { description: 'Number of jobs that were accepted in that day: a whole number.' }),
    characters: t.exposeFloat('characters', { description: "Characters of those voice jobs' texts." }),
    audioSeconds: t.exposeFloat('audioSeconds', { description: 'Seconds of audio that those jobs made.' }),
  }),
})

builder.queryField('usageDays', (t) =>
  t.field({
    type: [UsageDayRef],
    nullable: true,
    description:
      'Usage of an account by day and group, oldest first. Its credits add up to what `creditDays` says was spent, except by tags. Needs the scopes account:admin and job:read, or a signed-in owner; for another account the scope operator.',
    args: {
      account: t.arg.id({ description: "Id or name of an account; the caller's own unless given." }),
      from: t.arg({
        type: 'DateTime',
        required: true,
        description:
          'Beginning of the range; the whole day that contains it is the first one, but a sum begins at this time.',
      }),
      to: t.arg({
        type: 'DateTime',
        description: 'End of the range, exclusive; now unless given. At most 92 days after `from`.',
      }),
      timeZone: t.arg.string({ description: 'Time zone of the days, such as `Europe/Berlin`; UTC unless given.' }),
      groupBy: t.arg({ type: UsageGroupEnum, required: true, description: 'Property by which the usage is grouped.' }),
      sum: t.arg.boolean({
        description: 'True for one sum of each group over the whole range, instead of one for each of its days.',
      }),
    },
    resolve: (_root, args: UsageDaysInput, ctx) => usageDays(ctx, args),
    extensions: { verb: usageDays, length: COST },
  }),
)
