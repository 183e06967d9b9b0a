import { builder } from '../graphql/builder.ts'
import { resolvedBy } from '../graphql/resolved-by.ts'
import { cancelJob } from './cancel-job.ts'
import { JOB_ERRORS, JOB_STATUSES, type JobErrorCode } from './job-states.ts'
import type { Submission } from './queue-job.ts'
import { submitVoiceJob, type VoiceJobInput } from './submit-voice-job.ts'
import { type VoiceJobView, voiceJob } from './voice-job.ts'

export const JobStatusEnum = builder.enumType('JobStatus', {
  description: 'Where a job stands. COMPLETED and FAILED are final.',
  values: Object.fromEntries(JOB_STATUSES.map((value) => [value.toUpperCase(), { value }])) as {
    [S in (typeof JOB_STATUSES)[number] as Uppercase<S>]: { value: S }
  },
})

export const JobErrorCodeEnum = builder.enumType('JobErrorCode', {
  description: 'Why a job failed: the value to branch on.',
  values: Object.fromEntries(
    Object.entries(JOB_ERRORS).map(([value, description]) => [value, { value, description }]),
  ) as unknown as { [C in JobErrorCode]: { value: C } },
})

const VoiceJobRef = builder.objectRef<VoiceJobView>('VoiceJob').implement({
  description: 'A text being turned into speech.',
  fields: (t) => ({
    id: t.exposeID('jobId', { description: 'The job id.' }),
    status: t.field({ type: JobStatusEnum, description: 'Where it stands.', resolve: (job) => job.status }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was accepted.', resolve: (job) => job.createdAt }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it finished; null before.',
      resolve: (job) => job.completedAt,
    }),
    chunksDone: t.int({
      nullable: true,
      description: 'How many chunks of the text are rendered; null before a worker has cut it up.',
      resolve: (job) => job.progress?.done,
    }),
    chunksTotal: t.int({
      nullable: true,
      description: 'Into how many chunks the text was cut.',
      resolve: (job) => job.progress?.total,
    }),
    outputs: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Output name to URL; each is signed at this read and lives 15 minutes. Completed jobs only.',
      resolve: (job) => job.outputs,
    }),
    error: t.string({
      nullable: true,
      description: 'What to do next. Failed jobs only.',
      resolve: (job) => job.failure?.message,
    }),
    errorCode: t.field({
      type: JobErrorCodeEnum,
      nullable: true,
      description: 'Failed jobs only.',
      resolve: (job) => job.failure?.code,
    }),
  }),
})

const SubmissionRef = builder.objectRef<Submission>('VoiceJobSubmission').implement({
  description: 'An accepted submission.',
  fields: (t) => ({
    jobId: t.exposeID('jobId', { description: 'The job to poll.' }),
    status: t.field({ type: JobStatusEnum, description: 'QUEUED.', resolve: (submission) => submission.status }),
    replayed: t.exposeBoolean('replayed', {
      description: 'Whether an idempotency key led to a job that was there before.',
    }),
  }),
})

builder.queryField('voiceJob', (t) =>
  t.field({
    type: VoiceJobRef,
    description: "One voice job of the key's account.",
    args: { jobId: t.arg.id({ required: true, description: 'A job id.' }) },
    ...resolvedBy(voiceJob, (args: { jobId: string }) => args),
  }),
)

builder.mutationField('submitVoiceJob', (t) =>
  t.field({
    type: SubmissionRef,
    description: 'Takes a text to be spoken.',
    args: {
      slug: t.arg.string({ required: true, description: 'The slug of the voice endpoint.' }),
      inputs: t.arg({ type: 'JSON', required: true, description: "The endpoint's own named inputs." }),
      webhookUrl: t.arg.string({ description: "Notified when the job finishes, instead of the account's webhook." }),
      idempotencyKey: t.arg.string({ description: 'The same key and request lead to the same job for 24 hours.' }),
    },
    ...resolvedBy(submitVoiceJob, (args: Omit<VoiceJobInput, 'inputs'> & { inputs?: unknown }) => ({
      inputs: undefined,
      ...args,
    })),
  }),
)

builder.mutationField('cancelJob', (t) =>
  t.field({
    type: VoiceJobRef,
    description:
      'Cancels an unfinished job: it fails as JOB_CANCELLED, its charge is given back and its engine stops. A finished job stays as it is.',
    args: { jobId: t.arg.id({ required: true, description: 'A job id.' }) },
    ...resolvedBy(cancelJob, (args: { jobId: string }) => args),
  }),
)
