import { inParallel } from '../concurrency/in-parallel.ts'
import type { Context } from '../context/context.ts'
import { describeError, toServiceError } from '../errors/describe-error.ts'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'

const MAX_IDS = 100
const AT_ONCE = 4

export interface Each<Result> {
  readonly id: string
  readonly result: Result | null
  readonly error: Pick<ServiceError, 'code' | 'message' | 'details'> | null
}

/**
 * Runs a function once for each distinct id, in separate transactions.
 * @throws INVALID_REQUEST for no id, or more than 100
 */
export async function eachId<Result>(
  ctx: Pick<Context, 'log'>,
  ids: readonly string[],
  work: (id: string) => Promise<Result>,
): Promise<Each<Result>[]> {
  const distinct = [...new Set(ids)]
  if (ids.length === 0 || ids.length > MAX_IDS)
    throw invalidRequest('Invalid arguments: see `details`.', [{ path: '/ids', message: `must name 1 to ${MAX_IDS}` }])
  return inParallel(distinct, AT_ONCE, (id) => one(ctx, id, work))
}

async function one<Result>(
  ctx: Pick<Context, 'log'>,
  id: string,
  work: (id: string) => Promise<Result>,
): Promise<Each<Result>> {
  const done = await attempted(ctx, async () => ({ result: await work(id) }))
  if (!(done instanceof ServiceError)) return { id, result: done.result, error: null }
  const { code, message, details } = done
  return { id, result: null, error: { code, message, details } }
}

/** Returns the error of one of several, and logs one that an operator must know. */
export async function attempted<Result>(
  { log }: Pick<Context, 'log'>,
  work: () => Promise<Result>,
): Promise<Result | ServiceError> {
  try {
    return await work()
  } catch (thrown) {
    const error = toServiceError(thrown)
    if (error.code === 'INTERNAL_ERROR') log.error({ err: describeError(error) }, 'one of several failed')
    return error
  }
}
