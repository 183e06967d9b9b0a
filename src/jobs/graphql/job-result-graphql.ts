import type { MediaKind } from '../../companion/tag-media.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import type { JobRecord } from '../job-record.ts'
import { type JobResult, toView } from '../job-view.ts'
import type { StoredOutput } from '../sign-outputs.ts'
import { artifactsOf } from './artifact-graphql.ts'
import { MediaKindEnum } from './media-kind-graphql.ts'

/** What a job's URLs are signed from; read together for all jobs of a page. */
export async function storedOutputsOf(ctx: GraphqlContext, { id }: JobRecord): Promise<StoredOutput[]> {
  const artifacts = (await artifactsOf(ctx, id)) ?? []
  return artifacts.map(({ output, storageKey, contentType }) => ({
    output,
    storage_key: storageKey,
    content_type: contentType,
  }))
}

/** The same as REST shows; null for unfinished and failed jobs. */
export async function showResult(ctx: GraphqlContext, record: JobRecord): Promise<JobResult | null> {
  if (record.status !== 'completed') return null
  const view = await toView(ctx, { ...record, artifacts: await storedOutputsOf(ctx, record) })
  return view.result
}

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
