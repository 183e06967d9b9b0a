import { availableParallelism } from 'node:os'
import { requireOperator, requireSystem } from '../../access/require.ts'
import { awayParts } from '../../catalog/engine-server.ts'
import { loadVoice } from '../../catalog/library-voices.ts'
import { poolOf } from '../../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { Context, Parts } from '../../context/context.ts'
import { EngineError, type SpeechEngine, serversOf } from '../../engines/engine.ts'
import { OWNED_SERVER } from '../../engines/engine-block.ts'
import type { Engines } from '../../engines/engines.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { speakText } from '../speak-text.ts'
import { openTrialEngines, type TrialEngines } from './trial-engines.ts'

const SAMPLE_TEXT = 'This is a test.'
export const TRIAL_MS = 20_000
const TIMEOUT_MS = 60_000
const ALIVE_MS = 5000
const ALIVE = 'select host, server from worker where $1 = any(pools) and heartbeat_at >= $2'

/** `offered` counts the engine's voices (null: it lists none); `missing` are the endpoint's voices that it lacks. */
export interface EngineCheck {
  readonly endpoint: string
  readonly kind: string
  /** Null for an engine in this process; `worker` for a server that only workers reach. */
  readonly server: string | null
  readonly offered: number | null
  readonly missing: readonly string[]
  readonly speech: { readonly tookMs: number; readonly durationMs: number } | null
  readonly error: string | null
}

export interface TrialContext extends Context {
  readonly trialEngines: TrialEngines
}

interface Alive {
  readonly host: string
  readonly server: { readonly state: string; readonly error: string | null } | null
}

export const isSound = ({ error, missing }: EngineCheck): boolean => error === null && missing.length === 0

/** Lists an engine's voices and speaks one sentence; the result reports failures. */
async function tryEngine(
  ctx: Context,
  engines: Engines,
  endpoint: VoiceEndpoint,
  signal: AbortSignal,
): Promise<EngineCheck> {
  const { kind } = endpoint.engine
  const [{ base_url: server } = {}] = serversOf(endpoint.engine)
  const found = { endpoint: endpoint.slug, kind, server: typeof server === 'string' ? server : null }
  const silent = { ...found, offered: null, missing: [], speech: null }
  if (server === OWNED_SERVER) return { ...silent, error: await checkOwnedServer(ctx, endpoint) }
  try {
    return await engines.use(endpoint.engine, async (engine) => {
      const offered = await engine.voices(signal)
      const listed = { ...found, offered: offered?.length ?? null, missing: missingVoices(endpoint, offered) }
      return speakSample(ctx, engine, endpoint, signal).then(
        (speech) => ({ ...listed, speech, error: null }),
        (error: unknown) => ({ ...listed, speech: null, error: reasonOf(error) }),
      )
    })
  } catch (error) {
    if (signal.aborted && engines.modelState(endpoint.engine) === 'loading')
      return { ...silent, error: 'The model is still being loaded: check it again in a moment.' }
    return { ...silent, error: reasonOf(error) }
  }
}

/** Speaks a short sentence with the first voice of the endpoint. @throws EngineError; the signal's reason */
export async function speakSample(
  ctx: Pick<Context, 'db' | 'catalog' | 'storage'>,
  engine: Pick<SpeechEngine, 'slots' | 'deterministic' | 'speak' | 'voices'>,
  endpoint: VoiceEndpoint,
  signal: AbortSignal,
) {
  const voice = await loadVoice(ctx, endpoint, endpoint.voices[0]?.slug ?? '', null)
  if (voice === null) throw new EngineError('RENDER_FAILED', 'The endpoint has no voices.')
  const started = performance.now()
  // A passed deadline turns retries off.
  const request = { text: SAMPLE_TEXT, language: 'English', voice, extra: {}, seed: 1, signal, deadline: started }
  const { durationMs } = await speakText(engine, request)
  return { tookMs: Math.round(performance.now() - started), durationMs }
}

export function missingVoices(endpoint: VoiceEndpoint, offered: readonly string[] | null): string[] {
  if (offered === null) return []
  const known = new Set(offered.map(plainName))
  const named = endpoint.voices.flatMap(({ engineVoice }) => (engineVoice === null ? [] : [engineVoice]))
  // Kokoro mixes voices such as "af_bella+af_sky", each with a weight in parentheses.
  const lacks = (part: string): boolean => !known.has(plainName(part.replace(/\(.*\)$/, '')))
  return named.filter((name) => !known.has(plainName(name)) && name.split('+').some(lacks))
}

const plainName = (name: string): string => name.normalize('NFC').toLowerCase()

const reasonOf = (error: unknown): string =>
  error instanceof EngineError
    ? `${error.code}: ${error.message}`
    : error instanceof Error
      ? error.message
      : String(error)

/** The endpoint at each of its servers alone. */
const partsOf = (endpoint: VoiceEndpoint): VoiceEndpoint[] =>
  serversOf(endpoint.engine).length > 1
    ? [...awayParts(endpoint).values()].map((engine) => ({ ...endpoint, engine }))
    : [endpoint]

/**
 * Tries an endpoint's engine from this process, at each of its servers, and tells of the first that fails; changes and charges nothing.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, UNAVAILABLE if too many trials run
 */
export async function checkEngine(ctx: TrialContext, { slug }: { readonly slug: string }): Promise<EngineCheck> {
  requireOperator(ctx)
  const endpoint = ctx.catalog.current.endpoints.get(slug)
  if (endpoint === undefined) throw new ServiceError('NOT_FOUND', `No voice endpoint with the slug "${slug}".`)
  const signal = AbortSignal.timeout(TRIAL_MS)
  return ctx.trialEngines.use(signal, async (engines) => {
    const checks = await Promise.all(partsOf(endpoint).map((part) => tryEngine(ctx, engines, part, signal)))
    return checks.find((check) => !isSound(check)) ?? (checks[0] as EngineCheck)
  })
}

/**
 * Tries the engines of endpoints at once, at each of their servers.
 * @param isTried absent: all
 * @throws FORBIDDEN
 */
export async function checkEngines(
  ctx: Context,
  isTried: (endpoint: VoiceEndpoint) => boolean = () => true,
): Promise<readonly EngineCheck[]> {
  requireSystem(ctx)
  const endpoints = [...ctx.catalog.current.endpoints.values()].filter(isTried).flatMap(partsOf)
  if (endpoints.length === 0) return []
  const engines = await openTrialEngines(ctx, availableParallelism())
  const checks = endpoints.map((endpoint) => tryEngine(ctx, engines, endpoint, AbortSignal.timeout(TIMEOUT_MS)))
  return Promise.all(checks).finally(() => engines.close())
}

/**
 * Null if a living worker of the pool has a ready server of its own; else the state for the operator. Only that worker can reach its
 * server.
 */
export async function checkOwnedServer(
  parts: Pick<Parts, 'db' | 'now'>,
  endpoint: VoiceEndpoint,
): Promise<string | null> {
  const pool = poolOf(endpoint)
  const since = new Date(parts.now().getTime() - ALIVE_MS)
  const { rows: workers } = await parts.db.pool.query<Alive>(ALIVE, [pool, since])
  const servers = workers.flatMap(({ host, server }) => (server === null ? [] : [{ host, ...server }]))
  if (servers.some(({ state }) => state === 'ready')) return null
  if (servers.length === 0) return `No living worker of the pool ${pool} was started with --server.`
  const all = servers.map(({ host, state, error }) => `${host}: ${state}${error === null ? '' : ` (${error})`}`)
  return `No server of the pool ${pool} is ready. ${all.join('; ')}`
}
