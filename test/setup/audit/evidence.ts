import type { Runtime } from '../../../src/runtime/runtime.ts'
import { readCsv } from '../checks/csv.ts'
import { call } from '../http.ts'
import type { VoiceJob } from '../jobs/fixtures.ts'
import type { Received } from '../servers/receiver.ts'
import { read } from '../service/graphql.ts'

const MOST_ATTEMPTS = 4
const PAGE = 100
const DAY_MS = 86_400_000
/** A whole key, a webhook secret, a signed URL. */
const NEVER_LOGGED = /snt_([0-9a-z]_)?[0-9A-Za-z]{42}|whsec_[0-9A-Za-z+/]{8,}|[?&](signature|X-Amz-Signature)=/i
const JOBS = `query ($after: String) { jobs(first: ${PAGE}, after: $after) {
  pageInfo { hasNextPage endCursor } edges { node { id status completedAt errorCode } } } }`

/** Pino's levels that call for a user's help now, uncaught errors, and listeners that pile up. */
const CALLS_FOR_HELP = /"level":[56]0|uncaught|unhandled|a promise failed unheard|MaxListenersExceededWarning/i

/** The service as one account's key sees it. */
export interface Door {
  readonly url: string
  readonly key: string
}

/** Invariant 6: what came at a receiver is the payload snapshot, and says what polling says. */
export async function auditCallbacks({ db }: Runtime, received: readonly Received[]): Promise<string[]> {
  const { rows } = await db.pool.query<Snapshot>(SNAPSHOTS)
  const snapshots = new Map(rows.map((row) => [row.id, row]))
  const sent = Map.groupBy(received, ({ headers }) => `${headers['webhook-id']} ${headers['webhook-timestamp']}`)
  const arrived = new Set(received.map(({ headers }) => headers['webhook-id']))
  const lost = received.length === 0 ? [] : rows.filter(({ id, state }) => state === 'succeeded' && !arrived.has(id))
  return [
    ...[...sent.values()].flatMap((requests) =>
      auditDelivery(requests, snapshots.get(requests[0]!.headers['webhook-id']!)),
    ),
    ...lost.map(({ id }) => `a delivery counts as taken and never came: ${id}`),
  ]
}

const SNAPSHOTS = `
  select d.id, d.state, d.job_id, d.timestamp::text, d.signature, d.body, j.status, j.error_code
  from webhook_delivery d left join job j on j.id = d.job_id`

interface Snapshot {
  id: string
  state: string
  job_id: string
  timestamp: string
  signature: string
  body: Buffer | null
  status: string | null
  error_code: string | null
}

/** @param requests all with one id and one timestamp */
function auditDelivery(requests: readonly Received[], snapshot: Snapshot | undefined): string[] {
  const [{ headers, body }] = requests as [Received]
  const id = headers['webhook-id']
  if (snapshot === undefined) return [`a delivery came that was never created: ${id}`]
  const wire = (request: Received) => `${request.headers['webhook-signature']} ${request.body.toString('base64')}`
  const isLast = headers['webhook-timestamp'] === snapshot.timestamp
  const asCreated =
    headers['webhook-signature'] === snapshot.signature && (snapshot.body === null || snapshot.body.equals(body))
  const told = JSON.parse(body.toString()) as VoiceJob
  const asPolled =
    snapshot.status === null || (told.status === snapshot.status && (told.error_code ?? null) === snapshot.error_code)
  return [
    ...(new Set(requests.map(wire)).size > 1 ? [`the attempts of a delivery differ: ${id}`] : []),
    ...(requests.length > MOST_ATTEMPTS ? [`a delivery came ${requests.length} times: ${id}`] : []),
    ...(isLast && !asCreated ? [`a delivery is not its payload snapshot: ${id}`] : []),
    ...(told.job_id === snapshot.job_id && asPolled ? [] : [`a delivery says what the job does not: ${id}`]),
  ]
}

type Said = readonly [status: string, completedAt: string | null, errorCode: string | null]

/** Each job's state by single read and poll, in words. The next audit of the run does not read a job again that the other APIs still show so. */
const readBefore = new Map<string, string>()

/** Invariants 5 and 7: list, single read, poll, GraphQL and CSV tell the same of every job of the account. */
export async function auditDoors(door: Door): Promise<string[]> {
  const [listed, shown, exported] = await Promise.all([list(door), show(door), exportAll(door)])
  const found: string[] = []
  const names = (said: ReadonlyMap<string, Said>) => [...said.keys()].sort().join()
  if (names(listed) !== names(shown)) found.push('GraphQL has other jobs than the list')
  if (names(listed) !== names(exported)) found.push('the CSV has other jobs than the list')
  for (const [id, [status, completedAt]] of listed) {
    const shownNow = JSON.stringify(shown.get(id))
    const reads = readBefore.get(id) === shownNow ? [] : await readAndPoll(door, id)
    const answers = [...reads, shown.get(id), exported.get(id)]
    const alike = new Set(answers.map((answer) => JSON.stringify(answer)))
    if (alike.size === 1) readBefore.set(id, shownNow)
    const [sample] = answers
    if (alike.size > 1) found.push(`the doors do not agree on ${id}: ${[...alike].join(' and ')}`)
    else if (sample?.[0] !== status || sample[1] !== completedAt) found.push(`the list has something else of ${id}`)
  }
  return found
}

interface Told {
  job_id: string
  status: string
  completed_at: string | null
  error_code?: string
}

const said = ({ status, completed_at, error_code }: Told): Said => [status, completed_at, error_code ?? null]

async function list({ url, key }: Door): Promise<Map<string, Said>> {
  const all = new Map<string, Said>()
  for (let total = 1; all.size < total; ) {
    const reply = await call(`${url}/api/v1/jobs?limit=${PAGE}&offset=${all.size}`, { key })
    const page = reply.json<{ jobs: Told[]; total: number }>()
    total = page.jobs.length === 0 ? 0 : page.total
    for (const job of page.jobs) all.set(job.job_id, said(job))
  }
  return all
}

const readAndPoll = ({ url, key }: Door, id: string): Promise<Said[]> =>
  Promise.all(
    ['jobs', 'voice/jobs'].map(async (at) => said((await call(`${url}/api/v1/${at}/${id}`, { key })).json<Told>())),
  )

interface Page {
  jobs: {
    pageInfo: { hasNextPage: boolean; endCursor: string | null }
    edges: { node: { id: string; status: string; completedAt: string | null; errorCode: string | null } }[]
  }
}

async function show({ url, key }: Door): Promise<Map<string, Said>> {
  const all = new Map<string, Said>()
  let after: string | null = null
  do {
    const { jobs }: Page = await read<Page>(url, key, JOBS, { after })
    for (const { node } of jobs.edges) all.set(node.id, [node.status.toLowerCase(), node.completedAt, node.errorCode])
    after = jobs.pageInfo.hasNextPage ? jobs.pageInfo.endCursor : null
  } while (after !== null)
  return all
}

async function exportAll({ url, key }: Door): Promise<Map<string, Said>> {
  const [from, to] = [-DAY_MS, DAY_MS].map((distance) => new Date(Date.now() + distance).toISOString())
  const { text } = await call(`${url}/api/v1/jobs/export?from=${from}&to=${to}`, { key })
  const [header = [], ...rows] = readCsv(text.replace(/^\uFEFF/, ''))
  const at = (name: string) => header.indexOf(name)
  const all = rows.map((row): [string, Said] => [
    row[at('job_id')]!,
    [row[at('status')]!, row[at('completed_at')] || null, row[at('error_code')] || null],
  ])
  if (new Set(all.map(([id]) => id)).size < all.length) throw new Error('the CSV has a job twice')
  return new Map(all)
}

/** Invariants 10 and 11: nothing that is not for logs, and no exception that nothing caught. */
export function auditLogs(logs: readonly string[], secrets: readonly string[]): string[] {
  return logs.flatMap((log) => {
    const known = secrets.filter((secret) => log.includes(secret)).map((secret) => `"${secret.slice(0, 8)}…"`)
    const secret = NEVER_LOGGED.test(log) ? ['a key, a secret or a signed URL'] : []
    const error = CALLS_FOR_HELP.test(log) ? [`a call for help: ${CALLS_FOR_HELP.exec(log)?.[0]}`] : []
    return [...known, ...secret, ...error].map((what) => `a log holds ${what}`)
  })
}
