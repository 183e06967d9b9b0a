import { type Dialect, dialectOf, type Mark, PROFILES, type Profile } from './dialects.ts'
import { EngineError } from './engine.ts'
import { serverUrl } from './engine-block.ts'
import { LANGUAGE_CODES, LANGUAGES, type Language } from './espeak/detect-language.ts'
import { type Connection, exchangeOnce } from './exchange.ts'
import { type ListedVoice, listedVoices } from './openai-speech-profile.ts'
import { parseJson, requireLiving, throwIfAway } from './server-failure.ts'
import { SpeechServer } from './speech-server.ts'

const DETECT_MS = 10_000
const MAX_BYTES = 4 * 1024 * 1024
const MODELS = '/v1/models'
const DESCRIPTION = '/openapi.json'
const SPEECH_PATH = '/v1/audio/speech'
const KEY = 'KEY'
const ANSWERS = 'answers:'
const MARK_PATHS = PROFILES.flatMap((profile) => dialectOf(profile).marks).flatMap((mark) =>
  mark.startsWith(ANSWERS) ? [mark.slice(ANSWERS.length)] : [],
)

export interface DetectedServer {
  /** As the engine block takes it. */
  readonly baseUrl: string
  /** `generic` where nothing tells the server's kind. */
  readonly profile: Profile
  /** Those that speak, where the server tells which do. */
  readonly models: readonly DetectedModel[]
  /** The server is there, but its model is not yet. */
  readonly isLoading: boolean
}

interface DetectedModel {
  readonly id: string
  /** Null: the server lists none, and none are known of its kind. */
  readonly voices: readonly DetectedVoice[] | null
}

interface DetectedVoice {
  /** As `engine_voice` takes it. */
  readonly name: string
  /** Absent where the server does not tell, or the voice speaks several. */
  readonly language?: Language
}

interface Found {
  readonly path: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly json: Readonly<Record<string, unknown>>
  /** Kept for what it says of an outage. */
  readonly text: string
}

/**
 * Finds out a server's kind, models and voices from its public paths. It speaks nothing.
 * @param address with or without a scheme, `/v1` and the path of speech
 * @throws EngineError PROVIDER_UNAVAILABLE if nothing answers there, INTERNAL_ERROR for an address or a key that must be
 * mended; the signal's reason
 */
export async function detectServer(address: string, key?: string, signal?: AbortSignal): Promise<DetectedServer> {
  const baseUrl = baseUrlOf(address)
  const server = new SpeechServer(baseUrl, undefined, undefined)
  const late = AbortSignal.timeout(DETECT_MS)
  const until = signal === undefined ? late : AbortSignal.any([signal, late])
  const block = { kind: 'openai-speech', profile: 'generic', base_url: baseUrl, model: '', max_in_flight: 1 } as const
  const keyed = key === undefined ? {} : { api_key_env: KEY }
  const connection = { server, block: { ...block, retry_seconds: 0, ...keyed }, lookUp: () => key }
  try {
    return await detectAt(connection, until)
  } finally {
    signal?.throwIfAborted()
    await server.close()
  }
}

async function detectAt(connection: Connection, signal: AbortSignal): Promise<DetectedServer> {
  const { baseUrl } = connection.server
  const found = await getAll(connection, [MODELS, DESCRIPTION, ...MARK_PATHS], signal)
  const listed = found.find(({ path }) => path === MODELS)
  if (listed?.status === 401 || listed?.status === 403) throw keyRefused(connection)
  const profile = profileOf(found)
  if (profile === null) {
    if (listed !== undefined) requireLiving(baseUrl, listed.status, listed.text)
    throw new EngineError('INTERNAL_ERROR', noSpeechServer(baseUrl, listed))
  }
  const dialect = dialectOf(profile)
  const paths = [dialect.models, dialect.voices, dialect.health].filter((path) => path !== undefined)
  const more = paths.length === 0 ? [] : await getAll(connection, paths, signal)
  const at = (path: string | undefined) => more.find((one) => one.path === path)
  const modelList = [at(dialect.models), listed].find((one) => Array.isArray(one?.json.data))
  const models = modelsOf(dialect, modelList?.json.data, at(dialect.voices)?.json)
  return { baseUrl, profile, models, isLoading: isLoading(at(dialect.health)) }
}

function noSpeechServer(baseUrl: string, listed: Found | undefined): string {
  const { status = 0, headers = {}, path = '' } = listed ?? {}
  const [to, type] = [headers.location, headers['content-type']].map((one) => String(one ?? ''))
  if (status >= 300 && status < 400 && URL.canParse(to ?? '', baseUrl)) {
    const { origin, pathname } = new URL(to ?? '', baseUrl)
    return `${baseUrl} sends on to ${`${origin}${pathname}`.replace(path, '')}: give that address.`
  }
  if (type?.includes('html')) return `A web page answers at ${baseUrl}, no speech server: correct the port or the path.`
  return `${baseUrl} does not look like a speech server: correct the port or the path.`
}

function keyRefused({ block }: Connection): EngineError {
  const reason = block.api_key_env === undefined ? 'The server wants a key.' : 'The server refuses this key.'
  return new EngineError('INTERNAL_ERROR', reason)
}

/** @throws EngineError INTERNAL_ERROR */
function baseUrlOf(address: string): string {
  const trimmed = address.trim().replace(/\/audio\/speech\/*$/, '')
  const { data } = serverUrl.safeParse(/^[a-z]+:\/\//i.test(trimmed) ? trimmed : `http://${trimmed}`)
  if (data !== undefined) return data
  const message = 'Give the address as an http or https URL, without a password and a query.'
  throw new EngineError('INTERNAL_ERROR', message)
}

/** Leaves out the paths that do not answer. @throws EngineError if none does */
async function getAll(connection: Connection, paths: readonly string[], signal: AbortSignal): Promise<Found[]> {
  const asked = await Promise.allSettled(paths.map((path) => get(connection, path, signal)))
  const found = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const [failed] = asked
  if (found.length === 0 && failed?.status === 'rejected')
    throwIfAway(connection.server.baseUrl, failed.reason, DETECT_MS)
  return found
}

async function get(connection: Connection, path: string, signal: AbortSignal): Promise<Found> {
  const answer = await exchangeOnce(connection, { path, method: 'GET', cap: MAX_BYTES, signal })
  const text = answer.bytes.toString()
  const json = Object(parseJson(text)) as Record<string, unknown>
  return { path, status: answer.status, headers: answer.headers, json, text }
}

function profileOf(found: readonly Found[]): Profile | null {
  const marks = new Set(found.flatMap(marksOf))
  const known = PROFILES.find((profile) => dialectOf(profile).marks.some((mark) => marks.has(mark)))
  if (known !== undefined) return known
  const listsModels = found.some(({ path, json }) => path === MODELS && Array.isArray(json.data))
  return listsModels || marks.has(`path:${SPEECH_PATH}`) ? 'generic' : null
}

function marksOf({ path, status, headers, json }: Found): Mark[] {
  const headerMarks = Object.keys(headers).map((name): Mark => `header:${name.toLowerCase()}`)
  if (status !== 200) return headerMarks
  if (MARK_PATHS.includes(path) && Object.keys(json).length > 0) return [`answers:${path}`]
  const title = (json.info as { title?: unknown } | undefined)?.title
  const owners = (Array.isArray(json.data) ? json.data : []).map((one) => Object(one).owned_by)
  return [
    ...headerMarks,
    ...(typeof title === 'string' ? [`title:${title}` as const] : []),
    ...Object.keys(Object(json.paths)).map((one): Mark => `path:${one}`),
    ...owners.map((owner): Mark => `owner:${owner}`),
  ]
}

function modelsOf({ usualModel, ...dialect }: Dialect, list: unknown, voicesAnswer: unknown): DetectedModel[] {
  const usual = dialect.usualVoices?.map((name): ListedVoice => ({ name }))
  const ofServer = listedVoices(voicesAnswer) ?? usual ?? null
  const entries = (Array.isArray(list) ? list : []).map((one) => Object(one) as Record<string, unknown>)
  const speaking = entries.filter((entry) => speaks(entry, dialect.speaking))
  const listed = speaking.map((entry) => ({ id: String(entry.id), voices: listedVoices(entry) ?? ofServer }))
  const models = listed.length === 0 && usualModel !== undefined ? [{ id: usualModel, voices: ofServer }] : listed
  return models.map(({ id, voices }) => ({ id, voices: voices?.map((voice) => withLanguage(voice, dialect)) ?? null }))
}

/** Servers that also hear or chat tell tasks or capabilities of their models. */
function speaks({ id, task, capabilities }: Record<string, unknown>, speaking: RegExp | undefined): boolean {
  if (typeof id !== 'string' || (speaking !== undefined && !speaking.test(id))) return false
  if (typeof task === 'string') return task === 'text-to-speech'
  return !Array.isArray(capabilities) || capabilities.includes('tts')
}

function withLanguage({ name, language: tag = '' }: ListedVoice, { named = [] }: Pick<Dialect, 'named'>) {
  const code = tag.toLowerCase().split(/[-_]/)[0]
  const told = LANGUAGES.find((known) => LANGUAGE_CODES[known] === code)
  const language = told ?? named.find(([form]) => form.test(name))?.[1]
  return { name, ...(language !== undefined && { language }) }
}

function isLoading(health: Found | undefined): boolean {
  if (health === undefined) return false
  const { ready, loaded, model_loaded: modelLoaded } = health.json
  return health.status === 503 || [ready, loaded, modelLoaded].includes(false)
}
