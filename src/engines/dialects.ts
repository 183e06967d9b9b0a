import type { Language } from './espeak/detect-language.ts'

/** Facts about one kind of server. */
export interface Dialect {
  /** As people call it. */
  readonly name: string
  /** Slowest and fastest pace; null: the server speaks at its own pace only. */
  readonly speed: readonly [number, number] | null
  /** Most characters of a style; null: no such field. */
  readonly instructions: number | null
  /** `given` and `code` omit `auto`; `code` is ISO 639-1; null: no such field. */
  readonly language: 'title' | 'lower' | 'given' | 'code' | null
  /** The server gets `stream: false`. */
  readonly stream?: true
  readonly seed?: true
  readonly maxNewTokens?: true
  readonly taskType?: true
  readonly reference?: true
  /** Some servers demand a voice beside a recording. */
  readonly referenceVoice?: string
  /** The server needs the recording's text, unless told to use the sound alone. */
  readonly soundAlone?: true
  /** Its models understand numbers, signs and abbreviations. */
  readonly reads?: true
  /** Path of its list of voices. */
  readonly voices?: string
  /** Voices that it has unless it was told otherwise, and does not list. */
  readonly usualVoices?: readonly string[]
  /** Languages that the names of its voices tell. */
  readonly named?: readonly (readonly [RegExp, Language])[]
  /** Path of its list of models for speech, if it is not `/v1/models`. */
  readonly models?: string
  /** Names of those of its models that speak. */
  readonly speaking?: RegExp
  /** The model of a server that lists none. */
  readonly usualModel?: string
  /** Path that tells whether its model is loaded. */
  readonly health?: string
  /** One of these tells this server from others. */
  readonly marks: readonly Mark[]
}

/** The title or a path of its OpenAPI description, the owner of its models, a header, or a path that it answers. */
export type Mark = `${'title' | 'path' | 'owner' | 'header' | 'answers'}:${string}`

const VOICES = '/v1/audio/voices'
const WHOLE_RANGE = [0.25, 4] as const
const ANY_SPEED = [0, Number.POSITIVE_INFINITY] as const
const QWEN = {
  language: 'lower',
  instructions: 500,
  seed: true,
  maxNewTokens: true,
  reads: true,
} as const

const KOKORO_NAMES: Dialect['named'] = [
  [/^[ab][fm]_/, 'English'],
  [/^e[fm]_/, 'Spanish'],
  [/^f[fm]_/, 'French'],
  [/^i[fm]_/, 'Italian'],
  [/^j[fm]_/, 'Japanese'],
  [/^p[fm]_/, 'Portuguese'],
  [/^z[fm]_/, 'Chinese'],
]
const ORPHEUS_NAMES: Dialect['named'] = [
  [/^(tara|leah|jess|leo|dan|mia|zac|zoe)$/, 'English'],
  [/^(pierre|amelie|marie)$/, 'French'],
  [/^(jana|thomas|max)$/, 'German'],
  [/^(유나|준서)$/, 'Korean'],
  [/^(长乐|白芷)$/, 'Chinese'],
  [/^(javi|sergio|maria)$/, 'Spanish'],
  [/^(pietro|giulia|carlo)$/, 'Italian'],
]

/** One entry makes a new kind of server. */
const DIALECTS = {
  // An unknown server gets optional fields only if the job has them.
  generic: {
    name: 'Speech server',
    speed: ANY_SPEED,
    instructions: 500,
    language: 'given',
    stream: true,
    seed: true,
    reference: true,
    reads: true,
    voices: VOICES,
    marks: [],
  },
  'vllm-omni': {
    name: 'vLLM-Omni',
    ...QWEN,
    speed: WHOLE_RANGE,
    language: 'title',
    stream: true,
    taskType: true,
    reference: true,
    soundAlone: true,
    voices: VOICES,
    marks: ['owner:vllm', 'owner:vllm-omni'],
  },
  'sglang-omni': {
    name: 'SGLang-Omni',
    ...QWEN,
    speed: WHOLE_RANGE,
    stream: true,
    taskType: true,
    reference: true,
    referenceVoice: 'default',
    voices: VOICES,
    health: '/health',
    marks: ['title:sglang-omni', 'owner:sglang-omni'],
  },
  // Refuses unknown fields.
  nari: {
    name: 'Nari Qwen3-TTS',
    ...QWEN,
    speed: null,
    stream: true,
    usualVoices: ['aiden', 'dylan', 'eric', 'ono_anna', 'ryan', 'serena', 'sohee', 'uncle_fu', 'vivian'],
    health: '/ready',
    marks: ['title:Nari Qwen3-TTS'],
  },
  // Streams unless told not to, and then breaks off where others answer with an error.
  kokoro: {
    name: 'Kokoro-FastAPI',
    speed: WHOLE_RANGE,
    instructions: null,
    language: null,
    stream: true,
    voices: VOICES,
    named: KOKORO_NAMES,
    marks: ['title:Kokoro TTS API', 'path:/dev/captioned_speech', 'owner:kokoro'],
  },
  // Piper would take 0.25 to 4, but Kokoro's answer breaks off.
  speaches: {
    name: 'Speaches',
    speed: [0.5, 2],
    instructions: null,
    language: null,
    voices: VOICES,
    marks: ['title:Speaches'],
  },
  localai: {
    name: 'LocalAI',
    speed: WHOLE_RANGE,
    instructions: 500,
    language: 'code',
    models: '/v1/models/capabilities',
    health: '/readyz',
    marks: ['answers:/.well-known/localai.json'],
  },
  'chatterbox-tts-api': {
    name: 'Chatterbox TTS API',
    speed: null,
    instructions: null,
    language: null,
    voices: '/v1/voices',
    health: '/health',
    marks: ['title:Chatterbox TTS API', 'owner:resemble-ai'],
  },
  'chatterbox-tts-server': {
    name: 'Chatterbox TTS Server',
    speed: WHOLE_RANGE,
    instructions: null,
    language: null,
    seed: true,
    voices: VOICES,
    usualModel: 'chatterbox',
    health: '/api/model-info',
    marks: ['title:Chatterbox TTS Server'],
  },
  orpheus: {
    name: 'Orpheus-FastAPI',
    speed: null,
    instructions: null,
    language: null,
    voices: VOICES,
    named: ORPHEUS_NAMES,
    usualModel: 'orpheus',
    marks: ['title:Orpheus-FASTAPI'],
  },
  'openedai-speech': {
    name: 'openedai-speech',
    speed: WHOLE_RANGE,
    instructions: null,
    language: null,
    usualVoices: ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'],
    marks: ['path:/v1/billing/usage'],
  },
  // Refuses unknown fields.
  openai: {
    name: 'OpenAI',
    speed: WHOLE_RANGE,
    instructions: 4096,
    language: null,
    reads: true,
    // All its models have these; gpt-4o-mini-tts has more.
    usualVoices: ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'],
    speaking: /(^|-)tts(-|$)/,
    marks: ['header:openai-version'],
  },
} as const satisfies Record<string, Dialect>

export type Profile = keyof typeof DIALECTS
export const PROFILES = Object.keys(DIALECTS) as [Profile, ...Profile[]]
export const dialectOf = (profile: Profile): Dialect => DIALECTS[profile]
