import { builder } from '../../graphql/builder.ts'
import { subscribedBy } from '../../graphql/resolved-by.ts'
import type { Job } from '../job-shape.ts'
import type { FilterParameters } from '../list/filter-parameters.ts'
import { jobUpdated } from '../live/job-updated.ts'
import { jobsUpdated } from '../live/jobs-updated.ts'
import { JobInterface } from './job-interface-graphql.ts'
import { JobFilterInput } from './job-page-graphql.ts'

builder.subscriptionFields((t) => ({
  jobUpdated: t.field({
    type: JobInterface,
    description: 'A job as it is now and whenever it changes, until it has ended.',
    args: { id: t.arg.id({ required: true, description: 'A job id.' }) },
    ...subscribedBy(jobUpdated, (args: { id: string }) => ({ jobId: args.id })),
    resolve: (job: Job) => job,
  }),
  jobsUpdated: t.field({
    type: JobInterface,
    description: 'The jobs that match, whenever they change; first the unfinished ones as they are now.',
    args: { filter: t.arg({ type: JobFilterInput, description: 'Which jobs.' }) },
    ...subscribedBy(jobsUpdated, (args: { filter?: FilterParameters | null | undefined }) => args),
    resolve: (job: Job) => job,
  }),
}))
