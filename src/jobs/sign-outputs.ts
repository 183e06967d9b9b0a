import { CAPTION_TYPES, type CaptionFormat, captionOutput, isCaptionFormat } from '../audio/format.ts'
import type { Parts } from '../context/context.ts'

/** SQL column of the job `j`; null without artifacts. */
export const STORED_OUTPUTS = `
  (select json_agg(json_build_object('output', a.output, 'storageKey', a.storage_key, 'contentType', a.content_type, 'deletedAt', a.deleted_at, 'captions', a.captions, 'durationMs', a.duration_ms) order by a.output)
   from artifact a where a.job_id = j.id) as "storedOutputs"`

export const CAPTION_FOLDER = 'captions'

export interface StoredOutput {
  readonly output: string
  readonly storageKey: string
  readonly contentType: string
  readonly deletedAt?: Date | string | null
  readonly captions?: readonly string[] | null
  readonly durationMs?: number | null
}

/** Signs URLs of speech and captions that the service makes while a client reads. */
export interface SpeechUrls {
  /**
   * Valid for 15 minutes.
   * @param path below `/media/`
   */
  sign(path: string, contentType: string, now: Date): string
}

export interface UrlParts extends Pick<Parts, 'storage' | 'now'> {
  readonly speechUrls: SpeechUrls
}

/** Output name to signed URL, valid for 15 minutes. */
export async function signOutputs(
  parts: UrlParts,
  jobId: string,
  artifacts: readonly StoredOutput[] | null,
): Promise<Record<string, string>> {
  const now = parts.now()
  const signed = (artifacts ?? []).map(async ({ output, storageKey, contentType, deletedAt, captions }) => {
    const url = await parts.storage.signUrl(storageKey, { contentType, now, isDeleted: deletedAt != null })
    const named = (captions ?? [])
      .filter(isCaptionFormat)
      .map((format) => [captionOutput(format), captionsUrlOf(parts, jobId, format)] as const)
    return [[output, url] as const, ...named]
  })
  return Object.fromEntries((await Promise.all(signed)).flat())
}

const captionsUrlOf = ({ speechUrls, now }: UrlParts, jobId: string, format: CaptionFormat): string =>
  speechUrls.sign(`${CAPTION_FOLDER}/${jobId}.${format}`, CAPTION_TYPES[format], now())
