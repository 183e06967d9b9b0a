import type { Parts } from '../context/context.ts'

/** What a signed URL is made of. */
export interface StoredOutput {
  readonly output: string
  readonly storage_key: string
  readonly content_type: string
}

/** A job's artifacts as a column of a statement that calls the job `j`; null without any. */
export const STORED_OUTPUTS = `
  (select json_agg(json_build_object('output', a.output, 'storage_key', a.storage_key, 'content_type', a.content_type) order by a.output)
   from artifact a where a.job_id = j.id) as artifacts`

/** Output name to URL, each signed anew: it lives 15 minutes. */
export async function signOutputs(
  parts: Pick<Parts, 'storage' | 'now'>,
  artifacts: readonly StoredOutput[] | null,
): Promise<Record<string, string>> {
  const now = parts.now()
  const signed = (artifacts ?? []).map(async (artifact) => {
    const url = await parts.storage.signUrl(artifact.storage_key, { contentType: artifact.content_type, now })
    return [artifact.output, url] as const
  })
  return Object.fromEntries(await Promise.all(signed))
}
