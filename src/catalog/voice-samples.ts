import { createHash } from 'node:crypto'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { describeError } from '../errors/describe-error.ts'
import { canonicalJson } from '../values/json.ts'

export const SAMPLE_FOLDER = 'samples'

/** The key changes whenever the endpoint is applied again. */
export function sampleKey({ slug, updatedAt, engine }: VoiceEndpoint, voice: string): string {
  const content = canonicalJson({ voice, engine, updatedAt: updatedAt?.toISOString() ?? null })
  return `${SAMPLE_FOLDER}/${slug}/${createHash('sha256').update(content).digest('hex').slice(0, 32)}.mp3`
}

export async function forgetSamples({ storage, log }: Context, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs)
    await storage.deleteBelow(`${SAMPLE_FOLDER}/${slug}`).catch((error: unknown) => {
      log.warn({ endpoint: slug, ...describeError(error) }, 'old samples of voices were not deleted')
    })
}
