import { shownEngine } from '../catalog/files/hidden-password.ts'
import { findVisibleWorkflow, workflowKey, workflowSlug, workflows } from '../catalog/workflows.ts'
import type { Workflow } from '../context/catalog-snapshot.ts'
import type { PageInput } from '../db/page.ts'
import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { connectionOf, forOperator, OPERATORS_PART, resolvedBy } from '../graphql/resolved-by.ts'
import { JobStatusEnum } from '../jobs/graphql/job-graphql.ts'
import { type SubmitOptions, SubmitOptionsInput } from '../jobs/graphql/submit-options-graphql.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import { type GenerationInput, submitGeneration } from './submit-generation.ts'

const WorkflowSettingsRef = builder.objectRef<Workflow>('WorkflowSettings').implement({
  description: 'What callers do not see of a workflow.',
  fields: (t) => ({
    engine: t.field({
      type: 'JSON',
      description: 'The engine block of its endpoint file, without a password.',
      resolve: ({ engine }) => shownEngine(engine),
    }),
  }),
})

const WorkflowRef = builder.objectRef<Workflow>('Workflow').implement({
  description: 'A workflow that runs on a server of its own.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({ description: 'Its endpoint key: `generate.<slug>`.', resolve: ({ slug }) => workflowKey(slug) }),
    slug: t.exposeString('slug', { description: 'Identifies the workflow.' }),
    name: t.exposeString('name', { description: 'Display name.' }),
    description: t.exposeString('description', { nullable: true, description: 'What it does.' }),
    inputs: t.field({ type: 'JSON', description: 'JSON Schema of its inputs.', resolve: ({ inputs }) => inputs }),
    creditsPerJob: t.exposeInt('creditsPerJob', { description: 'What a run costs.' }),
    timeLimitSeconds: t.exposeInt('timeLimitSeconds', { description: 'How long a run may take.' }),
    settings: t.field({ type: WorkflowSettingsRef, nullable: true, description: OPERATORS_PART, resolve: forOperator }),
  }),
})

addNodeSource<Workflow>('generate', {
  typeOf: () => 'Workflow',
  load: (ctx, id) => findVisibleWorkflow(ctx, workflowSlug(id)),
})

builder.queryField('workflows', (t) =>
  t.connection(
    {
      type: WorkflowRef,
      description: 'All workflows by slug. Needs the scope operator, or a signed-in operator.',
      ...resolvedBy(workflows, (args: PageInput) => args),
    },
    ...connectionOf('Workflow', 'workflows'),
  ),
)

const SubmissionRef = builder.objectRef<Submission>('GenerationSubmission').implement({
  description: 'An accepted generation.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'The job to poll.' }),
    status: t.field({ type: JobStatusEnum, description: 'QUEUED.', resolve: (submission) => submission.status }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether the idempotency key belongs to an earlier job, which is this one.',
    }),
  }),
})

type SubmissionArgs = Omit<GenerationInput, 'inputs' | 'tags'> & {
  readonly inputs?: unknown
  readonly options?: SubmitOptions | null
}

builder.mutationField('submitGeneration', (t) =>
  t.field({
    type: SubmissionRef,
    errors: {},
    description: 'Runs a workflow. Needs the scope generate:workflow.',
    args: {
      slug: t.arg.string({ required: true, description: 'The slug of the workflow.' }),
      inputs: t.arg({ type: 'JSON', required: true, description: "The workflow's own named inputs." }),
      webhookUrl: t.arg({
        type: 'URL',
        description: "Notified when the job finishes, instead of the account's webhook.",
      }),
      idempotencyKey: t.arg.string({
        description: 'The same key with the same request returns the same job for 24 hours.',
      }),
      options: t.arg({ type: SubmitOptionsInput, description: 'Options that the job keeps.' }),
    },
    ...resolvedBy(submitGeneration, ({ options, ...args }: SubmissionArgs) => ({
      inputs: undefined,
      ...args,
      tags: options?.tags,
    })),
  }),
)
