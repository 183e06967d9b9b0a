import { invalidRequest } from '../../errors/service-error.ts'
import { builder } from '../../graphql/builder.ts'

export interface JobIdArgs {
  readonly id?: string | null | undefined
  readonly jobId?: string | null | undefined
}

/** A job by its id. Before it was called `id`, as of all other objects, the argument was called `jobId`. */
export const jobIdArgs = (description: string) =>
  builder.args((t) => ({
    id: t.id({ description: `${description} Give it by this name.` }),
    jobId: t.id({ description, deprecationReason: 'Give `id`, as of all other objects.' }),
  }))

/** @throws INVALID_REQUEST without an id, and with two */
export function toJobId<Rest extends object>({ id, jobId, ...rest }: JobIdArgs & Rest) {
  const [one, another] = [id, jobId].filter((given) => given != null)
  if (one !== undefined && another === undefined) return { ...rest, jobId: one }
  throw invalidRequest('Give the id of one job, as `id`.', [
    { path: '/id', message: another === undefined ? 'is missing' : 'cannot stand with `jobId`' },
  ])
}
