import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { csvFile } from '../../../rest/csv.ts'
import { exportInput, ledgerInput } from '../../../rest/inputs.ts'
import type { Query } from '../../../rest/parameters.ts'
import { send } from '../../../rest/send.ts'
import { invalidRequest, unauthorized } from '../../errors/service-error.ts'
import type { Authentication } from '../../graphql/http/authentication.ts'
import { clientDisconnect } from '../../http/client-disconnect.ts'
import { exportJobs } from '../../jobs/export/export-jobs.ts'
import { exportLedger } from '../../jobs/export/export-ledger.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { foreignOrigin, isLinkOfOwnPage } from '../session-cookie.ts'
import { listedJobs } from './listed-jobs.ts'

const JOBS = '/console/jobs.csv'
const LEDGER = '/console/ledger.csv'

/**
 * Serves the console's CSV exports to signed-in users.
 * A session cookie accompanies links from any site, so the browser must report that a page of this service asks.
 */
export function mountCsvFiles(app: FastifyInstance, runtime: Runtime, authentication: Authentication): void {
  app.get(JOBS, async (request, reply) => {
    const { ctx, call } = await opened(runtime, authentication, request, reply)
    requireWindow(call.query)
    const filter = listedJobs(call.query)
    return send(reply, csvFile(await exportJobs(ctx, { ...exportInput(call), filter }), call))
  })
  app.get(LEDGER, async (request, reply) => {
    const { ctx, call } = await opened(runtime, authentication, request, reply)
    return send(reply, csvFile(await exportLedger(ctx, ledgerInput(call)), call, 'ledger'))
  })
}

/** @throws FORBIDDEN, UNAUTHORIZED */
async function opened(runtime: Runtime, authentication: Authentication, request: FastifyRequest, reply: FastifyReply) {
  const disconnected = clientDisconnect(reply.raw)
  const actor = await authenticateUser(authentication, runtime.publicUrl, request, reply)
  const { headers } = request
  return { ctx: runtime.as(actor), call: { headers, query: request.query as Query, disconnect: () => disconnected } }
}

/** @throws FORBIDDEN if the request comes from another site, UNAUTHORIZED without a session */
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
