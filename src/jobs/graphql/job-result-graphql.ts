import type { MediaKind } from '../../companion/tag-media.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { type JobResult, resultOf } from '../job-result.ts'
import type { Job } from '../job-shape.ts'
import type { StoredOutput } from '../sign-outputs.ts'
import { artifacts } from './artifact-graphql.ts'
import { MediaKindEnum } from './media-kind-graphql.ts'

/** A page loads the outputs of all its jobs together. */
export const storedOutputsOf = async (ctx: GraphqlContext, job: Job): Promise<readonly StoredOutput[] | null> =>
  job.storedOutputs === undefined ? ((await artifacts.load(ctx, job.id)) ?? null) : job.storedOutputs

export const showResult = async (ctx: GraphqlContext, job: Job): Promise<JobResult | null> =>
  job.status === 'completed' ? resultOf(ctx, job, await storedOutputsOf(ctx, job)) : null

export const JobResultRef = builder.objectRef<JobResult>('JobResult').implement({
  description: 'The result of a completed job. Each type of job fills its own fields.',
  fields: (t) => ({
    createdAt: t.expose('createdAt', { type: 'DateTime', nullable: true, description: 'Voice and generation.' }),
    completedAt: t.expose('completedAt', { type: 'DateTime', nullable: true, description: 'Voice and generation.' }),
    outputs: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Voice and generation: output name to URL, signed at this read for 15 minutes.',
      resolve: (result) => result.outputs,
    }),
    endpointSlug: t.exposeString('endpointSlug', { nullable: true, description: 'Voice.' }),
    workflowSlug: t.exposeString('workflowSlug', { nullable: true, description: 'Generation.' }),
    isProhibited: t.exposeBoolean('isProhibited', { nullable: true, description: 'Companion.' }),
    chatId: t.exposeID('chatId', { nullable: true, description: 'Companion chat and retarget.' }),
    mediaUrl: t.expose('mediaUrl', {
      type: 'URL',
      nullable: true,
      description: 'Companion media tag: as it was submitted.',
    }),
    mediaKind: t.field({
      type: MediaKindEnum,
      nullable: true,
      description: 'Companion media tag.',
      resolve: (result) => result.mediaKind as MediaKind | null | undefined,
    }),
  }),
})
