import { createHash } from 'node:crypto'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Context } from '../../context/context.ts'
import { describeError } from '../../errors/describe-error.ts'
import { canonicalJson } from '../../values/canonical-json.ts'

/** Where samples of voices are served and kept. */
export const SAMPLE_FOLDER = 'samples'

/** Where the sample of a voice is kept: elsewhere as soon as its endpoint was applied again, with another engine or recording perhaps. */
export function sampleKey({ slug, updatedAt, engine }: VoiceEndpoint, voice: string): string {
  const content = canonicalJson({ voice, engine, updatedAt: updatedAt?.toISOString() ?? null })
  return `${SAMPLE_FOLDER}/${slug}/${createHash('sha256').update(content).digest('hex').slice(0, 32)}.mp3`
}

/** Samples of what was applied again, or is gone, are heard no more. The change stands, whatever the store does. */
export async function forgetSamples({ storage, log }: Context, slugs: readonly string[]): Promise<void> {
  for (const slug of slugs)
    await storage.deleteBelow(`${SAMPLE_FOLDER}/${slug}`).catch((error: unknown) => {
      log.warn({ endpoint: slug, ...describeError(error) }, 'old samples of voices were not deleted')
    })
}
