import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { csvFile } from '../../../rest/csv.ts'
import { exportInput } from '../../../rest/inputs.ts'
import type { Query } from '../../../rest/parameters.ts'
import { send } from '../../../rest/send.ts'
import { invalidRequest, unauthorized } from '../../errors/service-error.ts'
import type { Authentication } from '../../graphql/http/authentication.ts'
import { clientDisconnect } from '../../http/client-disconnect.ts'
import { exportJobs } from '../../jobs/export/export-jobs.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { foreignOrigin, isLinkOfOwnPage } from '../session-cookie.ts'

/** Where a user who has signed in gets what `GET /api/v1/jobs/export` gives a key. */
const PATH = '/console/jobs.csv'

/**
 * Serves the export of the jobs page, `?from&to`. The session's cookie goes with a link from anywhere, so the browser itself has to say that
 * a page of this service asks (`Sec-Fetch-Site`, or the Referer where it sends none).
 */
export function mountJobsCsv(app: FastifyInstance, runtime: Runtime, authentication: Authentication): void {
  app.get(PATH, async (request, reply) => {
    const disconnected = clientDisconnect(reply.raw)
    const actor = await authenticateUser(authentication, runtime.publicUrl, request, reply)
    const query = request.query as Query
    requireWindow(query)
    const window = exportInput({ query, disconnect: () => disconnected })
    const exported = await exportJobs(runtime.as(actor), window)
    return send(reply, csvFile(exported, { headers: request.headers, query }))
  })
}

/** @throws FORBIDDEN where no page of this service asks, UNAUTHORIZED without a session */
async function authenticateUser(
  { authenticate }: Authentication,
  publicUrl: string,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (!isLinkOfOwnPage(request, publicUrl)) throw foreignOrigin()
  const actor = await authenticate(request, reply)
  if (actor.kind !== 'session') throw unauthorized()
  return actor
}

/** @throws INVALID_REQUEST */
function requireWindow(query: Query): void {
  const missing = ['from', 'to'].filter((name) => query[name] === undefined)
  const details = missing.map((path) => ({ path, message: 'is required' }))
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
}
