import { VoiceEndpointRef } from '../catalog/endpoint-graphql.ts'
import { findVisibleEndpoint } from '../catalog/endpoints.ts'
import { shownEngine } from '../catalog/files/hidden-password.ts'
import { findVisibleWorkflow, workflowKey, workflowSlug, workflows } from '../catalog/workflows.ts'
import type { VoiceEndpoint, Workflow } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import type { PageInput } from '../db/page.ts'
import { builder, result } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import {
  connectionOf,
  forOperator,
  NONE_OR_UNSEEN,
  OPERATORS_PART,
  orNull,
  resolvedBy,
} from '../graphql/resolved-by.ts'
import { JobInterface, submittedJob, submittedStatus } from '../jobs/graphql/job-graphql.ts'
import { JOB_REFS } from '../jobs/graphql/job-types-graphql.ts'
import { type SubmitOptions, SubmitOptionsInput } from '../jobs/graphql/submit-options-graphql.ts'
import type { Job } from '../jobs/job-shape.ts'
import { storedOptions } from '../jobs/job-shape.ts'
import type { Submission } from '../jobs/lifecycle/queue-job.ts'
import { type GenerationInput, submitGeneration } from './submit-generation.ts'

const WorkflowSettingsRef = builder.objectRef<Workflow>('WorkflowSettings').implement({
  description: 'Settings of a workflow that only operators see.',
  fields: (t) => ({
    engine: t.field({
      type: 'JSON',
      description: 'Engine block of the endpoint file, without a password.',
      resolve: ({ engine }) => shownEngine(engine),
    }),
  }),
})

export const WorkflowRef = builder.objectRef<Workflow>('Workflow').implement({
  description: 'Workflow that runs on a server of its own.',
  interfaces: [NodeInterface],
  fields: (t) => ({
    id: t.id({ description: 'Key of the workflow: `generate.<slug>`.', resolve: ({ slug }) => workflowKey(slug) }),
    slug: t.exposeString('slug', { description: 'Slug of the workflow: its name in requests.' }),
    name: t.exposeString('name', { description: 'Name of the workflow for people.' }),
    description: t.exposeString('description', {
      nullable: true,
      description: 'Description of the workflow for people.',
    }),
    inputs: t.field({ type: 'JSON', description: 'JSON Schema of the inputs.', resolve: ({ inputs }) => inputs }),
    creditsPerJob: t.exposeInt('creditsPerJob', { description: 'Credits that a run costs.' }),
    timeLimitSeconds: t.exposeInt('timeLimitSeconds', { description: 'Longest time that a run may take, in seconds.' }),
    settings: t.field({ type: WorkflowSettingsRef, nullable: true, description: OPERATORS_PART, resolve: forOperator }),
  }),
})

addNodeSource<Workflow>('generate', {
  typeOf: () => 'Workflow',
  idOf: ({ slug }) => workflowKey(slug),
  load: (ctx, ids) => ids.map((id) => findVisibleWorkflow(ctx, workflowSlug(id))),
})

const JobEndpointRef = builder.unionType('JobEndpoint', {
  description: 'Endpoint or workflow that a job was submitted to.',
  types: [VoiceEndpointRef, WorkflowRef],
  resolveType: (endpoint) => ('voices' in endpoint ? VoiceEndpointRef : WorkflowRef),
})

/** A restricted endpoint looks like a missing one. */
function endpointOf(ctx: Context, { type, endpointKey }: Job): VoiceEndpoint | Workflow | null {
  if (type !== 'voice' && type !== 'generate') return null
  const slug = endpointKey.slice(endpointKey.indexOf('.') + 1)
  return orNull<VoiceEndpoint | Workflow>(() =>
    type === 'voice' ? findVisibleEndpoint(ctx, slug) : findVisibleWorkflow(ctx, slug),
  )
}

builder.interfaceField(JobInterface, 'endpoint', (t) =>
  t.field({
    type: JobEndpointRef,
    nullable: true,
    description: `Endpoint or workflow that the job was submitted to. ${NONE_OR_UNSEEN}`,
    resolve: (job, _args, ctx) => endpointOf(ctx, job),
  }),
)

builder.queryField('workflows', (t) =>
  t.connection(
    {
      type: WorkflowRef,
      description:
        'Workflows of the service, in the order of their slugs. Needs the scope operator, or a signed-in operator.',
      ...resolvedBy(workflows, (args: PageInput) => args),
    },
    ...connectionOf('Workflow', 'workflows'),
  ),
)

const SubmissionRef = builder.objectRef<Submission>('GenerationSubmission').implement({
  description: 'Accepted submission to a workflow.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'Id of the job.' }),
    status: t.field(submittedStatus),
    replayed: t.exposeBoolean('replayed', {
      description: 'True if the idempotency key was used before: the job is the one of that earlier request.',
    }),
    job: t.field({
      type: JOB_REFS.generate,
      nullable: true,
      description: 'Job as it is now; null if it is that of an earlier request and was deleted since.',
      resolve: (submission, _args, ctx) => submittedJob(ctx, submission),
    }),
  }),
})

type SubmissionArgs = Omit<GenerationInput, 'inputs' | 'tags' | 'options'> & {
  readonly inputs?: unknown
  readonly options?: SubmitOptions | null
}

builder.mutationField('submitGeneration', (t) =>
  t.field({
    type: SubmissionRef,
    errors: result('Accepted submission', 'no job was made'),
    description: 'Runs a workflow. Needs the scope generate:workflow.',
    args: {
      slug: t.arg.string({ required: true, description: 'Slug of the workflow.' }),
      inputs: t.arg({
        type: 'JSON',
        required: true,
        description: "Inputs by their names, as the workflow's `inputs` describes them.",
      }),
      webhookUrl: t.arg({
        type: 'URL',
        description: "URL that is notified when the job ends, instead of the account's webhook.",
      }),
      idempotencyKey: t.arg.string({
        description: 'Key of your own choice: for 24 hours the same key with the same request returns the same job.',
      }),
      options: t.arg({ type: SubmitOptionsInput, description: 'Options that the job keeps.' }),
    },
    ...resolvedBy(submitGeneration, ({ options, ...args }: SubmissionArgs) => ({
      inputs: undefined,
      ...args,
      tags: options?.tags,
      options: storedOptions({ priority: options?.priority }),
    })),
  }),
)
