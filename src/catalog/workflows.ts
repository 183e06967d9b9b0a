import { isOperator, requireOperator, requireScope } from '../access/require.ts'
import { GENERATION_SCOPE } from '../access/scopes.ts'
import type { Workflow } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Connection, type PageInput, pageBySlug } from '../db/page.ts'
import { notFound } from '../errors/service-error.ts'

const KEY_PREFIX = 'generate.'

/** All workflows by slug, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export function workflows(ctx: Context, input: PageInput): Connection<Workflow> {
  requireOperator(ctx)
  return pageBySlug(ctx.catalog.current.workflows.values(), input, workflowKey)
}

export function requireWorkflow(ctx: Context, slug: string): Workflow {
  requireScope(ctx, GENERATION_SCOPE)
  return findWorkflow(ctx, slug)
}

/** Like requireWorkflow; the operator sees all. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export function findVisibleWorkflow(ctx: Context, slug: string): Workflow {
  if (!isOperator(ctx)) requireScope(ctx, GENERATION_SCOPE)
  return findWorkflow(ctx, slug)
}

function findWorkflow(ctx: Context, slug: string): Workflow {
  const workflow = ctx.catalog.current.workflows.get(slug)
  if (workflow === undefined) throw notFound()
  return workflow
}

export const workflowKey = (slug: string): string => `${KEY_PREFIX}${slug}`
export const workflowSlug = (endpointKey: string): string => endpointKey.slice(KEY_PREFIX.length)
export const predictionId = (jobId: string, attempt: number): string => `${jobId}-${attempt}`
