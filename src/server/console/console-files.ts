import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { csvFile } from '../../../rest/csv.ts'
import { exportInput, ledgerInput } from '../../../rest/inputs.ts'
import type { Query } from '../../../rest/parameters.ts'
import { presentAccountVoice } from '../../../rest/present.ts'
import { send } from '../../../rest/send.ts'
import { requireScope } from '../../access/require.ts'
import { LIBRARY_SCOPE } from '../../access/scopes.ts'
import { JOB_TYPES } from '../../catalog/job-kinds.ts'
import { type Detail, invalidRequest, unauthorized } from '../../errors/service-error.ts'
import type { Authentication } from '../../graphql/http/answer.ts'
import { clientDisconnect } from '../../http/client-disconnect.ts'
import { checkFormHeaders, type Form, fileTooLarge, MAX_FORM_BYTES, parseForm } from '../../http/multipart-body.ts'
import { exportJobs, exportLedger } from '../../jobs/export/export-jobs.ts'
import { JOB_ERRORS, JOB_STATUSES } from '../../jobs/job-states.ts'
import type { JobsFilter } from '../../jobs/list/jobs-filter.ts'
import { addVoice, admitUpload, readVoiceForm } from '../../library/change-voices.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { foreignOrigin, isLinkOfOwnPage } from '../authenticate.ts'

const JOBS = '/console/jobs.csv'
const LEDGER = '/console/ledger.csv'
const ERROR_CODES = Object.keys(JOB_ERRORS)

const FILTERS: Readonly<Record<string, Listed>> = {
  status: { field: 'statuses', values: JOB_STATUSES },
  type: { field: 'types', values: JOB_TYPES },
  error: { field: 'errorCodes', values: ERROR_CODES },
  endpoint: { field: 'endpointKeys', values: undefined },
  key: { field: 'apiKeyIds', values: undefined },
  user: { field: 'userIds', values: undefined },
  tag: { field: 'tags', values: undefined },
  search: { field: 'idPrefix', values: undefined },
  words: { field: 'words', values: undefined },
}
const SINGLE: ReadonlySet<string> = new Set(['idPrefix', 'words'])
/** A tag may have commas, so one is asked for. */
const WHOLE: ReadonlySet<string> = new Set(['tags'])

const PATH = '/console/voices'

interface Listed {
  readonly field: keyof JobsFilter
  readonly values: readonly string[] | undefined
}

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

function listedJobs(query: Query): JobsFilter {
  const details: Detail[] = []
  const fields = Object.entries(FILTERS).flatMap(([name, { field, values }]) => {
    const given = query[name]
    if (given === undefined || given === '') return []
    if (typeof given !== 'string') details.push({ path: name, message: 'must be given once' })
    const texts = WHOLE.has(field) ? [String(given)] : String(given).split(',')
    const found = values === undefined ? texts : texts.map((text) => values.find((one) => isSame(one, text)))
    if (found.includes(undefined)) details.push({ path: name, message: `must be of ${values?.join(', ')}` })
    return [[field, SINGLE.has(field) ? given : found]]
  })
  if (details.length > 0) throw invalidRequest('Invalid request: see `details`.', details)
  return Object.fromEntries(fields)
}

const isSame = (value: string, text: string): boolean => value.toLowerCase() === text.trim().toLowerCase()

/** Serves uploads of the voices page to signed-in users. */
export async function mountVoiceUpload(
  app: FastifyInstance,
  runtime: Runtime,
  authentication: Authentication,
): Promise<void> {
  await app.register(async (scope) => {
    const form = { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES } as const
    scope.decorateRequest('ctx', null)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('multipart/form-data', form, async (request: FastifyRequest, body: Buffer) =>
      parseForm(body, request.headers['content-type'] ?? ''),
    )
    scope.post(PATH, {
      bodyLimit: MAX_FORM_BYTES,
      errorHandler: (error) => {
        throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? fileTooLarge() : error
      },
      onRequest: async (request, reply) => {
        request.ctx = await authorize(runtime, authentication, request, reply)
      },
      handler: async ({ ctx, body }, reply) => {
        if (ctx === null) throw unauthorized()
        if (body === undefined) throw invalidRequest('Send a form as the body.')
        return reply.code(201).send(presentAccountVoice(await addVoice(ctx, readVoiceForm(body as Form))))
      },
    })
  })
}

/**
 * Runs before the server reads the body.
 * @throws UNAUTHORIZED without a session, FORBIDDEN for a page of another origin, 413, 415
 */
async function authorize(
  runtime: Runtime,
  { authenticate }: Authentication,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ServiceContext> {
  const actor = await authenticate(request, reply)
  if (actor.kind !== 'session') throw unauthorized()
  const ctx = runtime.as(actor)
  requireScope(ctx, LIBRARY_SCOPE)
  checkFormHeaders(request.headers)
  admitUpload(ctx, reply.raw)
  return ctx
}
