import { type AudioFormat, FILE_TYPES, formatOfType } from '../audio/format.ts'
import type { Job } from './job-shape.ts'
import type { StoredOutput } from './sign-outputs.ts'
import type { UrlParts } from './speech-urls.ts'

export const AUDIO_FOLDERS = { completed: 'audio', live: 'live' } as const

/**
 * Null unless the job is completed.
 * @param format null: as stored
 */
export async function audioUrlOf(
  { storage, speechUrls, now }: UrlParts,
  { id, status }: Job,
  outputs: readonly StoredOutput[] | null,
  format: AudioFormat | null,
): Promise<string | null> {
  const stored = outputs?.find(({ output }) => output === 'audio')
  if (status !== 'completed' || stored === undefined) return null
  const { storageKey, contentType, deletedAt } = stored
  if (format === null || format === formatOfType(contentType))
    return storage.signUrl(storageKey, { contentType, now: now(), isDeleted: deletedAt != null })
  return speechUrls.sign(`${AUDIO_FOLDERS.completed}/${id}.${format}`, FILE_TYPES[format], now())
}

/** A signed URL that plays speech while it is spoken; null if the job has failed. */
export const liveUrlOf = ({ speechUrls, now }: UrlParts, { id, status }: Job, format: AudioFormat): string | null =>
  status === 'failed' ? null : speechUrls.sign(`${AUDIO_FOLDERS.live}/${id}.${format}`, FILE_TYPES[format], now())
