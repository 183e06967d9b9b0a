import { z } from 'zod'
import { PROFILES } from './dialects.ts'
import { DEFAULT_IN_FLIGHT, EngineError, serverAddress } from './engine.ts'
import { FAMILIES, fileNamesOf, SHERPA_FAMILIES } from './sherpa/sherpa-families.ts'

const TASK_TYPES = ['CustomVoice', 'Base', 'VoiceDesign'] as const
const MAX_IN_FLIGHT = 256
const MAX_SERVERS = 32
const DEFAULT_THREADS = 2
export const DEFAULT_SLOTS = 1
export const DEFAULT_RETRY_SECONDS = 60
const MAX_RETRY_SECONDS = 3600

const pool = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9, - and _, starting with a letter or digit')
  .optional()

/** A `base_url` that stands for the server of the worker which takes the job. */
export const OWNED_SERVER = 'worker'
/** By then the worker knows whether its server has ended. */
export const OWNED_RETRY_SECONDS = 5

export const NO_OWNED_SERVER: OwnedServer = {
  url: () => {
    throw new EngineError('INTERNAL_ERROR', 'base_url: worker is the server of a worker started with --server FILE.')
  },
  noteSent: () => undefined,
  noteGood: () => undefined,
  hangs: () => new Promise(() => undefined),
  judge: async () => undefined,
}

export interface OwnedServer {
  /** @throws if the server does not answer now or is none of this worker, so that the job is released */
  url(): string
  /** The server's output is kept without these texts. */
  noteSent(texts: readonly string[]): void
  noteGood(answer: GoodAnswer): void
  /** Resolves once a request for so many seconds of speech takes much longer than is usual. Rejects with the signal's reason. */
  hangs(expectedSeconds: number, signal: AbortSignal): Promise<void>
  /** Resolves if the failure is the request's own, or no other worker can do better. @throws if the job must go to another worker */
  judge(suspicion: Suspicion): Promise<void>
}

/** Asks the server for something that it does if it is well. @throws if it does not */
export type Probe = (signal: AbortSignal) => Promise<void>

export interface GoodAnswer {
  /** Seconds of waiting for each second of speech. */
  readonly pace?: number
  readonly probe?: Probe
}

export interface Suspicion {
  /** For the operator. */
  readonly reason: string
  /** The connection broke, as it does if the server has ended. */
  readonly hasBroken?: boolean
  /** The server says that it is full. */
  readonly isRefusal?: boolean
  readonly probe?: Probe
}

export const retrySeconds = z.number().min(0).max(MAX_RETRY_SECONDS).default(DEFAULT_RETRY_SECONDS)

const isWebUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const holdsPassword = (text: string): boolean => {
  const { username, password } = URL.canParse(text) ? new URL(text) : { username: '', password: '' }
  return username !== '' || password !== ''
}

const baseUrl = z
  .string()
  .refine((text) => text === OWNED_SERVER || isWebUrl(text), 'must be an http or https URL, or worker')
  .refine((text) => !holdsPassword(text), 'must not hold a password: use api_key_env')
  .refine((text) => !/[?#]/.test(text), 'must not have a query')
  // Clients of this API call either form the base URL.
  .transform((text) => serverAddress(text).replace(/\/v1$/, ''))

const espeak = z.strictObject({ kind: z.literal('espeak'), pool })

const MAX_THREADS = 64
const MAX_SLOTS = 16
const MAX_STEPS = 100
const A_WEEK_MINUTES = 10_080

const path = z
  .string()
  .min(1, 'must not be empty')
  .max(1000, 'must have at most 1000 characters')
  .refine((text) => !text.split('/').includes('..'), 'must not lead upwards with ..')

const sherpa = z
  .strictObject({
    kind: z.literal('sherpa-onnx'),
    pool,
    family: z.enum(SHERPA_FAMILIES),
    model_dir: path,
    files: z.record(z.string(), path).default({}),
    threads: z.int().min(1).max(MAX_THREADS).default(DEFAULT_THREADS),
    slots: z.int().min(1).max(MAX_SLOTS).default(DEFAULT_SLOTS),
    steps: z.int().min(1).max(MAX_STEPS).optional(),
    // A default would be stored, and workers of older versions refuse what they do not know.
    idle_minutes: z.number().positive().max(A_WEEK_MINUTES).optional(),
  })
  .superRefine(({ family, files, steps }, issues) => {
    const names = fileNamesOf(family)
    for (const name of Object.keys(files).filter((given) => !names.includes(given)))
      issues.addIssue({ code: 'custom', path: ['files', name], message: `is none of ${names.join(', ')}` })
    if (steps !== undefined && !FAMILIES[family].hasSteps)
      issues.addIssue({ code: 'custom', path: ['steps'], message: `is not supported by ${family}` })
  })

const apiKeyEnv = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
  .optional()
/** In base64url: what sealServerKey made. */
const apiKeySealed = z
  .string()
  .regex(/^[A-Za-z0-9_-]{40,4000}$/, 'must be what the service made of a key')
  .optional()
const maxInFlight = z.int().min(1).max(MAX_IN_FLIGHT)

export const serverUrl = baseUrl.refine((text) => text !== OWNED_SERVER, 'must be an http or https URL')

const speechServer = z.strictObject({
  base_url: serverUrl,
  max_in_flight: maxInFlight.default(DEFAULT_IN_FLIGHT),
  api_key_env: apiKeyEnv,
  api_key_sealed: apiKeySealed,
})

const openaiSpeech = z
  .strictObject({
    kind: z.literal('openai-speech'),
    pool,
    profile: z.enum(PROFILES).default('generic'),
    base_url: baseUrl.optional(),
    servers: z.array(speechServer).min(1, 'must list at least one server').max(MAX_SERVERS).optional(),
    model: z.string().min(1, 'must not be empty').max(200, 'must have at most 200 characters'),
    api_key_env: apiKeyEnv,
    api_key_sealed: apiKeySealed,
    max_in_flight: maxInFlight.optional(),
    task_type: z.enum(TASK_TYPES).optional(),
    word_timestamps: z.boolean().optional(),
    retry_seconds: retrySeconds,
  })
  .superRefine((block, issues) => {
    const { profile, word_timestamps: times } = block
    if (times === true && profile !== 'vllm-omni')
      issues.addIssue({ code: 'custom', path: ['word_timestamps'], message: `is not supported by ${profile}` })
    const wrong = wrongServers(block) ?? twoKeys(block)
    if (wrong !== null) issues.addIssue({ code: 'custom', ...wrong })
  })
  .transform((block) => (block.servers ? block : { ...block, max_in_flight: block.max_in_flight ?? DEFAULT_IN_FLIGHT }))

interface GivenKeys {
  readonly api_key_env?: string | undefined
  readonly api_key_sealed?: string | undefined
}

interface GivenServer extends GivenKeys {
  readonly base_url: string
}

interface GivenServers extends GivenKeys {
  readonly base_url?: string | undefined
  readonly servers?: readonly GivenServer[] | undefined
  readonly max_in_flight?: number | undefined
}

function wrongServers({ servers, ...alone }: GivenServers): { path: string[]; message: string } | null {
  if (servers === undefined)
    return alone.base_url === undefined ? { path: ['base_url'], message: 'is needed, or servers' } : null
  const own = ['base_url', 'max_in_flight', 'api_key_env', 'api_key_sealed'] as const
  const both = own.find((field) => alone[field] !== undefined)
  if (both !== undefined) return { path: [both], message: 'must not stand beside servers, which have their own' }
  const isTwice = new Set(servers.map(({ base_url: address }) => address)).size < servers.length
  return isTwice ? { path: ['servers'], message: 'must list each server once' } : null
}

function twoKeys(block: GivenServers): { path: (string | number)[]; message: string } | null {
  const hasTwo = ({ api_key_env: name, api_key_sealed: sealed }: GivenKeys): boolean =>
    name !== undefined && sealed !== undefined
  const at = block.servers?.findIndex(hasTwo) ?? -1
  if (at === -1 && !hasTwo(block)) return null
  return {
    path: [...(at === -1 ? [] : ['servers', at]), 'api_key_sealed'],
    message: 'must not stand beside api_key_env',
  }
}

/**
 * `pool` names the queue of its jobs; absent: the kind.
 * `retry_seconds` bounds retries at a busy or unavailable server.
 */
export const engineBlock = z.discriminatedUnion('kind', [espeak, openaiSpeech, sherpa])
export type EngineBlock = z.output<typeof engineBlock>
export type SherpaBlock = z.output<typeof sherpa>
export type EspeakBlock = z.output<typeof espeak>
export type OpenaiSpeechBlock = z.output<typeof openaiSpeech>
/** The block as one of its servers needs it. */
export type SpeechServerBlock = Omit<OpenaiSpeechBlock, 'servers'> & z.output<typeof speechServer>

export function serverBlocksOf({ servers, ...block }: OpenaiSpeechBlock): SpeechServerBlock[] {
  const { base_url: address = '', max_in_flight: most = DEFAULT_IN_FLIGHT } = block
  return servers?.map((one) => ({ ...block, ...one })) ?? [{ ...block, base_url: address, max_in_flight: most }]
}

/** @throws if the worker's own server does not answer */
export const addressOf = (baseUrl: string, owned: OwnedServer): string =>
  baseUrl === OWNED_SERVER ? owned.url() : baseUrl

/** Endpoints with the same key share processes. Pure. @param block without defaults */
export function modelKey(block: Readonly<Record<string, unknown>>): string {
  const { family, model_dir, files, threads = DEFAULT_THREADS, slots = DEFAULT_SLOTS } = block
  return JSON.stringify([family, model_dir, Object.entries(files ?? {}).sort(), threads, slots])
}
