import { engineParts } from '../../catalog/engine-server.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { serverOfPart } from './engine-notes.ts'

const MINUTES = `delete from engine_minute where minute < now() - interval '1 hour'`
/** No endpoint lists the server, or its worker has taken it along, and nobody has used it or looked at it for so long. */
const SERVERS = `
  delete from engine_server where (endpoint_slug, server) in (
    select endpoint_slug, server from engine_server
    where greatest(due_at, used_at, spoke_at) < now() - interval '2 hours'
      and (endpoint_slug, server) not in (select slug, server from json_to_recordset($1) as g (slug text, server text))
      and server not in (select id from worker)
    for update skip locked)`

export async function tidyEngines({ db, catalog }: Pick<Runtime, 'db' | 'catalog'>): Promise<void> {
  await db.pool.query(MINUTES)
  const listed = [...catalog.current.endpoints.values()].flatMap((endpoint) =>
    [...engineParts(endpoint)].map(([key, { kind }]) => ({ slug: endpoint.slug, server: serverOfPart(key, kind, '') })),
  )
  await db.pool.query(SERVERS, [JSON.stringify(listed)])
}
