import { type Context, isOperator, requireScope } from '../context/context.ts'
import { notFound } from '../errors/service-error.ts'
import { GENERATION_SCOPE, type Workflow } from './workflow.ts'

/** The workflow behind a slug; the scope is checked before anything is looked up. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export function reachWorkflow(ctx: Context, slug: string): Workflow {
  requireScope(ctx, GENERATION_SCOPE)
  return findWorkflow(ctx, slug)
}

/** The same, to look at: the operator sees every workflow. @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND */
export function seeWorkflow(ctx: Context, slug: string): Workflow {
  if (!isOperator(ctx)) requireScope(ctx, GENERATION_SCOPE)
  return findWorkflow(ctx, slug)
}

function findWorkflow(ctx: Context, slug: string): Workflow {
  const workflow = ctx.catalog.current.workflows.get(slug)
  if (workflow === undefined) throw notFound()
  return workflow
}
