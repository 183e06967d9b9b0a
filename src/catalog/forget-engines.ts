import type { Context } from '../context/context.ts'
import { describeError } from '../errors/describe-error.ts'

const FORGET = `
  delete from engine_server where (endpoint_slug, server) in (
    select endpoint_slug, server from engine_server where endpoint_slug = any($1) order by endpoint_slug, server for update)`

/** Workers ask the engines of these endpoints anew. Never rejects. */
export async function forgetEngines({ db, log }: Pick<Context, 'db' | 'log'>, slugs: readonly string[]): Promise<void> {
  await db.pool.query(FORGET, [slugs]).catch((error: unknown) => {
    log.warn(describeError(error), 'the old state of engines was not forgotten')
  })
}
