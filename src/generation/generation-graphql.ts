import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { JobStatusEnum } from '../jobs/job-enums-graphql.ts'
import type { Submission } from '../jobs/queue-job.ts'
import { type GenerationInput, submitGeneration } from './submit-generation.ts'

const SubmissionRef = builder.objectRef<Submission>('GenerationSubmission').implement({
  description: 'An accepted generation.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'The job to poll.' }),
    status: t.field({ type: JobStatusEnum, description: 'QUEUED.', resolve: (submission) => submission.status }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether an idempotency key led to a job that was there before.',
    }),
  }),
})

builder.mutationField('submitGeneration', (t) =>
  t.field({
    type: SubmissionRef,
    description: 'Runs a workflow. Needs the scope generate:workflow.',
    args: {
      slug: t.arg.string({ required: true, description: 'The slug of the workflow.' }),
      inputs: t.arg({ type: 'JSON', required: true, description: "The workflow's own named inputs." }),
      webhookUrl: t.arg.string({ description: "Notified when the job finishes, instead of the account's webhook." }),
      idempotencyKey: t.arg.string({ description: 'The same key and request lead to the same job for 24 hours.' }),
    },
    ...resolvedBy(submitGeneration, (args: Omit<GenerationInput, 'inputs'> & { inputs?: unknown }) => ({
      inputs: undefined,
      ...args,
    })),
  }),
)
