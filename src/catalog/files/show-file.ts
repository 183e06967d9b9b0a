import type { Context } from '../../context/context.ts'
import { showEndpoint } from '../show-endpoint.ts'
import { shownEngine } from './hidden-password.ts'
import { writeEndpoint } from './write-endpoint.ts'

/**
 * An endpoint or workflow as YAML of an endpoint file, without passwords, keys and recordings.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function endpointFile(ctx: Context, input: { readonly slug: string }): Promise<string> {
  const { section, entry } = writeEndpoint(showEndpoint(ctx, input))
  const engine = entry.engine as Readonly<Record<string, unknown>>
  const { stringify } = await import('yaml')
  return stringify({ [section]: [{ ...entry, engine: shownEngine(engine) }] })
}
