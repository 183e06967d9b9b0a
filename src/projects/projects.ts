import type { Prisma } from '../../prisma/generated/prisma/client.ts'
import { requireAccount, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import type { Context } from '../context/context.ts'
import { namesLike } from '../db/any-case.ts'
import { type Connection, type PageInput, pageShape, toConnection } from '../db/page.ts'
import { type RowQuery, selectOf } from '../db/row-query.ts'
import { invalidRequest, unknownId } from '../errors/service-error.ts'
import { isId } from '../values/id.ts'

export const PROJECT_VIEW = { id: true, accountId: true, userId: true, apiKeyId: true } as const
const MAX_SEARCH_CHARACTERS = 200

export type Project = Prisma.ProjectGetPayload<{ select: typeof PROJECT_VIEW }>

export interface ProjectsInput extends PageInput {
  /** A part of the name. */
  readonly search?: string | null | undefined
  readonly query?: RowQuery
}

/**
 * The caller's projects, last changed first: an account has few, so all ids are read to find a page.
 * @throws UNAUTHORIZED, FORBIDDEN, INVALID_REQUEST
 */
export async function projects(ctx: Context, input: ProjectsInput): Promise<Connection<Project>> {
  requireScope(ctx, JOB_READ_SCOPE)
  const { accountId } = requireAccount(ctx)
  const shape = pageShape(input, (text) => isId('prj', text))
  const where = { accountId, ...searched(input.search ?? '') }
  const orderBy = [{ updatedAt: 'desc' as const }, { id: 'desc' as const }]
  const all = (await ctx.db.prisma.project.findMany({ where, orderBy, select: { id: true } })).map(({ id }) => id)
  const start = input.after == null ? 0 : all.indexOf(input.after) + 1
  const end = input.before == null ? all.length : Math.max(0, all.indexOf(input.before))
  const within = all.slice(start, end)
  if (shape.backwards) within.reverse()
  const ids = within.slice(0, shape.size + 1)
  const found = await loadProjects(ctx, ids, input.query)
  const rows = ids.flatMap((id) => found.get(id) ?? [])
  return toConnection(rows, shape, input, {
    cursorOf: ({ id }) => id,
    nodeOf: (row) => row,
    count: () => all.length,
  })
}

function searched(search: string) {
  if (search === '') return {}
  if ([...search].length > MAX_SEARCH_CHARACTERS) {
    const details = [{ path: '/search', message: `must have at most ${MAX_SEARCH_CHARACTERS} characters` }]
    throw invalidRequest('Invalid arguments: see `details`.', details)
  }
  return { OR: namesLike(search) }
}

/** Null for an unknown id, and for one of another account. @throws UNAUTHORIZED, FORBIDDEN */
export async function project(
  ctx: Context,
  { id, query }: { readonly id: string; readonly query?: RowQuery },
): Promise<Project | null> {
  requireScope(ctx, JOB_READ_SCOPE)
  return (await loadProjects(ctx, [id], query)).get(id) ?? null
}

/** Those of the caller's account. */
export async function loadProjects(
  ctx: Context,
  ids: readonly string[],
  query?: RowQuery,
): Promise<Map<string, Project>> {
  const known = ids.filter((id) => isId('prj', id))
  if (known.length === 0) return new Map()
  const where = { id: { in: known }, accountId: requireAccount(ctx).accountId }
  const rows = await ctx.db.prisma.project.findMany({ where, select: selectOf(PROJECT_VIEW, query) })
  return new Map(rows.map((row) => [row.id, row]))
}

/** The same for malformed, unknown and foreign ids. */
export const projectNotFound = () => unknownId('project')
