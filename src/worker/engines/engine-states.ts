import { requireOperator } from '../../access/require.ts'
import { engineParts, serverLimits } from '../../catalog/engine-server.ts'
import { placeOfServer } from '../../catalog/files/hidden-password.ts'
import { poolOf } from '../../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Context } from '../../context/context.ts'
import { DEFAULT_IN_FLIGHT } from '../../engines/engine.ts'
import { OWNED_SERVER } from '../../engines/engine-block.ts'
import { type Serving, serving } from '../served-pools.ts'
import type { EngineFailure } from './engine-failure.ts'

const MS_PER_HOUR = 3_600_000

export type EngineState = 'ready' | 'degraded' | 'cold' | 'loading' | 'failing' | 'unreachable' | 'unknown'

/** The worst first. */
const STATES: readonly EngineState[] = ['failing', 'unreachable', 'degraded', 'unknown', 'loading', 'cold', 'ready']
const MISSING: readonly EngineState[] = STATES.slice(0, 3)
const SPEAKING: readonly EngineState[] = ['ready', 'degraded', 'loading', 'cold']

export interface EngineStatus {
  readonly endpoint: VoiceEndpoint
  readonly pool: string
  readonly state: EngineState
  readonly servers: readonly EngineServerStatus[]
}

export interface EngineServerStatus extends Noted, Verdict {
  readonly endpointSlug: string
  /** Key in the tables: address, id of the worker that owns it, or empty for an engine inside the workers. */
  readonly server: string
  /** Host of the worker that owns it. */
  readonly host: string | null
  readonly address: string | null
  readonly slots: number
  readonly slotsInUse: number
}

interface Noted {
  readonly spokeAt: Date | null
  readonly tookMs: number | null
  readonly audioMs: number | null
  readonly voicesOffered: number | null
  readonly voicesMissing: readonly string[]
  readonly failingSince: Date | null
}

interface Verdict {
  readonly state: EngineState
  readonly failure: EngineFailure | null
  readonly error: string | null
}

interface Row extends Noted, Pick<Verdict, 'error' | 'failure'> {
  readonly endpointSlug: string
  readonly server: string
}

/** One row of an endpoint's engine, with the living workers that may know of it. */
interface Part {
  readonly endpoint: VoiceEndpoint
  readonly key: string
  readonly server: string
  readonly workers: readonly Serving[]
}

const ROWS = `
  select endpoint_slug as "endpointSlug", server, spoke_at as "spokeAt", took_ms as "tookMs", audio_ms as "audioMs",
    voices_offered as "voicesOffered", voices_missing as "voicesMissing", failure, error, failing_since as "failingSince"
  from engine_server`
const NOTHING: Noted = {
  ...{ spokeAt: null, tookMs: null, audioMs: null, voicesOffered: null, voicesMissing: [], failingSince: null },
}

/**
 * How the engine of each voice endpoint is, at each of its servers, as the workers found it.
 * @throws UNAUTHORIZED, FORBIDDEN
 */
export async function engines(ctx: Context): Promise<EngineStatus[]> {
  requireOperator(ctx)
  return engineStates(ctx)
}

export const isSilent = ({ state }: Pick<EngineStatus, 'state'>): boolean =>
  state === 'failing' || state === 'unreachable'

/** The caller checks access. */
export async function engineStates(ctx: Pick<Context, 'db' | 'catalog'>): Promise<EngineStatus[]> {
  const [workers, { rows }] = await Promise.all([serving(ctx), ctx.db.pool.query<Row>({ name: 'engines', text: ROWS })])
  const known = new Map(rows.map((row) => [`${row.endpointSlug} ${row.server}`, row]))
  const limits = serverLimits(ctx.catalog.current)
  return [...ctx.catalog.current.endpoints.values()].map((endpoint) => {
    const servers = partsOf(endpoint, workers).map((part) =>
      statusOf(part, known.get(`${endpoint.slug} ${part.server}`), limits.get(part.key)),
    )
    return { endpoint, pool: poolOf(endpoint), state: stateOver(servers), servers }
  })
}

function partsOf(endpoint: VoiceEndpoint, all: readonly Serving[]): Part[] {
  const workers = all.filter(({ pools }) => pools.includes(poolOf(endpoint)))
  return [...engineParts(endpoint).keys()].flatMap((key): Part[] => {
    const isInside = endpoint.engine.kind !== 'openai-speech'
    if (key !== OWNED_SERVER) return [{ endpoint, key, server: isInside ? '' : key, workers }]
    const owners = workers.filter(({ server }) => server !== null)
    if (owners.length === 0) return [{ endpoint, key, server: key, workers }]
    return owners.map((worker) => ({ endpoint, key, server: worker.id, workers: [worker] }))
  })
}

function statusOf(part: Part, row: Row | undefined, limit: number | undefined): EngineServerStatus {
  const { endpoint, key, server, workers } = part
  const loads = workers.flatMap(({ engines: all }) => all[key] ?? [])
  const isInside = server === ''
  const verdict = verdictOn(part, row)
  return {
    ...(row ?? NOTHING),
    ...verdict,
    endpointSlug: endpoint.slug,
    server,
    host: key === OWNED_SERVER && server !== key ? (workers[0]?.host ?? null) : null,
    error: verdict.error?.split('\n')[0] ?? null,
    address: isInside ? null : key === OWNED_SERVER ? OWNED_SERVER : placeOfServer(server),
    slots: isInside
      ? loads.reduce((sum, { slots }) => sum + (slots ?? 0), 0)
      : (limit ?? Number(endpoint.engine.max_in_flight ?? DEFAULT_IN_FLIGHT)),
    slotsInUse: loads.reduce((sum, { in_use }) => sum + in_use, 0),
  }
}

function verdictOn(part: Part, row: Row | undefined): Verdict {
  const { workers, key, endpoint, server } = part
  if (workers.length === 0)
    return { state: 'unknown', failure: 'no_worker', error: `No living worker serves the pool ${poolOf(endpoint)}.` }
  if (key === OWNED_SERVER) {
    const verdict = verdictOnOwned(part)
    if (verdict !== null) return verdict
  }
  const reasons = workers.flatMap(({ away }) => away[key] ?? [])
  const [error] = reasons
  if (error === undefined) return verdictOnRow(part, row)
  const failure = server === '' ? 'model' : 'unreachable'
  if (reasons.length === workers.length) return { state: server === '' ? 'failing' : 'unreachable', failure, error }
  const failsElsewhere = row !== undefined && row.failure !== null && row.failure !== failure
  return failsElsewhere ? verdictOnRow(part, row) : { state: 'degraded', failure, error }
}

/** Null if the worker's server is ready. */
function verdictOnOwned({ workers, server, endpoint }: Part): Verdict | null {
  const [worker] = workers
  if (server === OWNED_SERVER || !worker?.server) {
    const error = `No living worker of the pool ${poolOf(endpoint)} was started with --server.`
    return { state: 'unreachable', failure: 'no_server', error }
  }
  const { state, error } = worker.server
  if (state === 'starting') return { state: 'loading', failure: null, error: null }
  return state === 'failed' ? { state: 'failing', failure: 'server', error } : null
}

function verdictOnRow({ key, workers }: Part, row: Row | undefined): Verdict {
  const { failure = null, error = null, voicesMissing = [], spokeAt = null } = row ?? {}
  if (failure !== null) return { state: 'failing', failure, error }
  const models = workers.flatMap(({ engines: all }) => all[key]?.model ?? [])
  if (models.length > 0 && !models.includes('warm'))
    return { state: models.includes('loading') ? 'loading' : 'cold', failure: null, error: null }
  if (voicesMissing.length > 0) {
    const named = `The engine lacks ${voicesMissing.join(', ')}.`
    return { state: 'degraded', failure: 'voices_missing', error: named }
  }
  return { state: spokeAt === null && models.length === 0 ? 'unknown' : 'ready', failure: null, error: null }
}

/** Degraded if one server speaks, or will, and another one does not. */
function stateOver(servers: readonly EngineServerStatus[]): EngineState {
  const states = new Set(servers.map(({ state }) => state))
  const worst = STATES.find((state) => states.has(state)) ?? 'unknown'
  if (MISSING.includes(worst)) return SPEAKING.some((state) => states.has(state)) ? 'degraded' : worst
  return states.has('ready') ? 'ready' : worst
}

/** Seconds of work for each second of speech; null without speech. */
export const realTimeFactorOf = ({
  tookMs,
  audioMs,
}: {
  readonly tookMs: number | bigint | null
  readonly audioMs: number | bigint | null
}): number | null => (tookMs === null || !audioMs ? null : Number(tookMs) / Number(audioMs))

export const MINUTE_VIEW = {
  endpointSlug: true,
  server: true,
  minute: true,
  spoken: true,
  failed: true,
  tookMs: true,
  audioMs: true,
} as const

/** The minutes of the last hour in which the engines were used, oldest first, by endpoint and server. */
export async function engineMinutes({ db, now }: Pick<Context, 'db' | 'now'>, slugs: readonly string[]) {
  const since = new Date(now().getTime() - MS_PER_HOUR)
  return db.prisma.engineMinute.findMany({
    where: { endpointSlug: { in: [...slugs] }, minute: { gte: since } },
    orderBy: { minute: 'asc' },
    select: MINUTE_VIEW,
  })
}
