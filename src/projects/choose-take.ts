import type { Context } from '../context/context.ts'
import { invalidRequest } from '../errors/service-error.ts'
import { requireAuthor } from './change-project.ts'
import { loadProjects, projectNotFound } from './projects.ts'
import { loadTakes } from './takes.ts'

const CHOOSE = `update project_take set chosen_at = case when job_id = $3 then $4::timestamptz end
  where project_id = $1 and paragraph = $2
    and exists (select from project_take where project_id = $1 and paragraph = $2 and job_id = $3)`

/**
 * Lets a take play and be exported, until another one is completed.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST
 */
export async function chooseTake(
  ctx: Context,
  { id, paragraph, job }: { readonly id: string; readonly paragraph: string; readonly job: string },
): Promise<{ readonly id: string }> {
  requireAuthor(ctx)
  if (!(await loadProjects(ctx, [id])).has(id)) throw projectNotFound()
  const take = (await loadTakes(ctx.db.pool, id, [paragraph])).get(paragraph)?.find(({ jobId }) => jobId === job)
  if (take === undefined || take.audio === null) {
    const message = take === undefined ? 'is no take of it' : 'has no audio'
    throw invalidRequest('Choose one of the takes of the paragraph that have audio.', [{ path: '/job', message }])
  }
  await ctx.db.pool.query(CHOOSE, [id, paragraph, job, ctx.now()])
  return { id }
}
