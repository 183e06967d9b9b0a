import { requireOperator } from '../access/require.ts'
import type { VoiceEndpoint, Workflow } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { ServiceError } from '../errors/service-error.ts'

export type Shown =
  | { readonly kind: 'endpoint'; readonly endpoint: VoiceEndpoint }
  | { readonly kind: 'workflow'; readonly workflow: Workflow }

/**
 * Any endpoint or else the workflow of that slug, for the operator.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export function showEndpoint(ctx: Context, { slug }: { readonly slug: string }): Shown {
  requireOperator(ctx)
  const { endpoints, workflows } = ctx.catalog.current
  const endpoint = endpoints.get(slug)
  if (endpoint !== undefined) return { kind: 'endpoint', endpoint }
  const workflow = workflows.get(slug)
  if (workflow !== undefined) return { kind: 'workflow', workflow }
  throw new ServiceError('NOT_FOUND', `No endpoint or workflow with the slug "${slug}".`)
}
