import type { Database } from '../../db/database.ts'

const MINUTES = `delete from engine_minute where minute < now() - interval '1 hour'`
/** No worker has looked for so long at a server that no endpoint lists, or that its worker has taken along. */
const SERVERS = `
  delete from engine_server where (endpoint_slug, server) in (
    select endpoint_slug, server from engine_server where due_at < now() - interval '2 hours' for update skip locked)`

export async function tidyEngines({ db }: { readonly db: Pick<Database, 'pool'> }): Promise<void> {
  await db.pool.query(MINUTES)
  await db.pool.query(SERVERS)
}
