import { isOperator, requireScope } from '../access/require.ts'
import { GENERATION_SCOPE } from '../access/scopes.ts'
import type { Workflow } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { notFound } from '../errors/service-error.ts'

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
