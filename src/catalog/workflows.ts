import { requireOperator } from '../access/require.ts'
import type { Workflow } from '../context/catalog-snapshot.ts'
import type { Context } from '../context/context.ts'
import { type Connection, type PageInput, pageBySlug } from '../db/page.ts'
import { workflowKey } from './workflow.ts'

/** All workflows by slug, for the operator. @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST */
export function workflows(ctx: Context, input: PageInput): Connection<Workflow> {
  requireOperator(ctx)
  return pageBySlug(ctx.catalog.current.workflows.values(), input, workflowKey)
}
