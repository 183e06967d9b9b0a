import type { Job } from './job-shape.ts'
import { type StoredOutput, signOutputs } from './sign-outputs.ts'
import type { UrlParts } from './speech-urls.ts'

export interface JobResult {
  readonly createdAt?: Date
  readonly completedAt?: Date | null
  readonly outputs?: Readonly<Record<string, string>>
  readonly endpointSlug?: string
  readonly workflowSlug?: string
  readonly isProhibited?: boolean | null
  readonly chatId?: string | null
  readonly mediaUrl?: string | null
  readonly mediaKind?: string | null
}

/** Signs URLs anew; null unless the job is completed. */
export async function resultOf(
  parts: UrlParts,
  job: Job,
  outputs: readonly StoredOutput[] | null,
): Promise<JobResult | null> {
  if (job.status !== 'completed') return null
  switch (job.type) {
    case 'companion_chat':
    case 'companion_retarget':
      return { isProhibited: job.isProhibited, chatId: job.chatId }
    case 'companion_media_tag':
      return { isProhibited: job.isProhibited, mediaUrl: job.mediaUrl, mediaKind: job.mediaKind }
    case 'generate':
      return { ...(await rendered(parts, job, outputs)), workflowSlug: slugOf(job) }
    case 'voice':
      return { ...(await rendered(parts, job, outputs)), endpointSlug: slugOf(job) }
  }
}

const rendered = async (
  parts: UrlParts,
  { id, createdAt, completedAt }: Job,
  outputs: readonly StoredOutput[] | null,
): Promise<JobResult> => ({ createdAt, completedAt, outputs: await signOutputs(parts, id, outputs) })

const slugOf = ({ endpointKey }: Job): string => endpointKey.slice(endpointKey.indexOf('.') + 1)
