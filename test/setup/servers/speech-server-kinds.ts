import { PROFILES, type Profile } from '../../../src/engines/dialects.ts'
import type { EngineErrorCode } from '../../../src/engines/engine.ts'
import { type Page, type SpeechCall, type SpeechReply, type SpeechServer, startSpeechServer } from './speech-server.ts'

/** An answer with what it means to a job; null: the server speaks all the same. */
type Fault = readonly [SpeechReply, EngineErrorCode] | null

/** One kind of server: its public paths and its behaviour, faults included. */
interface ServerKind {
  readonly pages: Readonly<Record<string, Page>>
  readonly model: string
  readonly voices: readonly string[]
  /** The fields of a request that it knows. */
  readonly fields: readonly string[]
  readonly speed?: readonly [number, number]
  readonly mostCharacters?: number
  /** Its good answers, where they differ from a plain WAV file. */
  readonly good?: SpeechReply
  readonly unknownField?: Fault
  readonly wrongVoice: Fault
  readonly wrongModel?: Fault
  readonly wrongSpeed?: Fault
  readonly tooLong?: Fault
  readonly wrongKey?: Fault
  /** Faults that come over it whatever the request is. */
  readonly spells: Readonly<Record<string, Fault>>
}

const BASIC = ['model', 'input', 'voice', 'response_format', 'speed']
const QWEN_FIELDS = [
  'stream',
  'instructions',
  'language',
  'task_type',
  'ref_audio',
  'ref_text',
  'max_new_tokens',
  'seed',
]
const SPEAKERS = ['aiden', 'dylan', 'eric', 'ono_anna', 'ryan', 'serena', 'sohee', 'uncle_fu', 'vivian']
const OUT_OF_MEMORY = 'CUDA out of memory. Tried to allocate 204.00 MiB. GPU 0 has a total capacity of 79.25 GiB.'
const CUT: Fault = [{ cut: true }, 'PROVIDER_UNAVAILABLE']
const GONE: Fault = [{ reset: true }, 'PROVIDER_UNAVAILABLE']

const failed = (status: number, json: unknown, code: EngineErrorCode, headers = {}): Fault => [
  { status, json, headers },
  code,
]
/** As OpenAI words it. */
const error = (message: string, type: string | null, code: unknown = null, param: string | null = null) => ({
  error: { message, type, param, code },
})
/** As FastAPI rejects a field; it quotes the field. */
const invalid = (field: string, msg: string, type = 'value_error') => ({
  detail: [{ type, loc: ['body', field], msg, input: 'the text of the request' }],
})
const kokoroError = (kind: string, message: string) => ({
  detail: { error: kind, message, type: 'invalid_request_error' },
})
const models = (owner: string, ...ids: string[]): Page => ({
  json: { object: 'list', data: ids.map((id) => ({ id, object: 'model', created: 0, owned_by: owner })) },
})
const described = (title: string, ...paths: string[]): Page => ({
  json: {
    openapi: '3.1.0',
    info: { title, version: '1.0.0' },
    paths: Object.fromEntries(['/v1/audio/speech', ...paths].map((path) => [path, {}])),
  },
})

export const SERVER_KINDS: Readonly<Record<Exclude<Profile, 'generic'>, ServerKind>> = {
  'vllm-omni': {
    pages: {
      '/v1/models': models('vllm', 'Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice'),
      '/openapi.json': described('FastAPI', '/v1/audio/voices', '/health', '/version'),
      '/v1/audio/voices': { json: { voices: SPEAKERS, uploaded_voices: [] } },
    },
    model: 'Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice',
    voices: SPEAKERS,
    fields: [...BASIC, ...QWEN_FIELDS, 'x_vector_only_mode'],
    speed: [0.25, 4],
    wrongVoice: failed(400, error("Invalid speaker 'nobody'.", 'BadRequestError', 400), 'RENDER_FAILED'),
    wrongModel: failed(
      404,
      error('The model `other` does not exist.', 'NotFoundError', 404, 'model'),
      'INTERNAL_ERROR',
    ),
    wrongSpeed: failed(
      400,
      error('speed: Input should be less than or equal to 4', 'Bad Request', 400),
      'RENDER_FAILED',
    ),
    wrongKey: failed(401, { error: 'Unauthorized' }, 'INTERNAL_ERROR'),
    spells: {
      // Any exception gets the code of a bad request.
      'out of memory': failed(400, error(`${OUT_OF_MEMORY} None`, 'BadRequestError', 400), 'PROVIDER_UNAVAILABLE'),
      'without an output': failed(
        400,
        error('TTS model did not produce audio output.', 'BadRequestError', 400),
        'PROVIDER_UNAVAILABLE',
      ),
      'with a dead engine': failed(
        500,
        { detail: 'EngineCore encountered an issue. See stack trace (above) for the root cause.' },
        'PROVIDER_UNAVAILABLE',
      ),
      gone: GONE,
    },
  },
  'sglang-omni': {
    pages: {
      '/v1/models': models('sglang-omni', 'Qwen/Qwen3-TTS'),
      '/openapi.json': described('sglang-omni', '/health', '/v1/audio/voices'),
      '/v1/audio/voices': { json: { voices: ['default', 'narrator'], uploaded_voices: [], cache_stats: {} } },
      '/health': { json: { status: 'healthy', running: true } },
    },
    model: 'Qwen/Qwen3-TTS',
    voices: ['default', 'narrator'],
    fields: [...BASIC, ...QWEN_FIELDS],
    speed: [0.25, 4],
    mostCharacters: 4096,
    wrongVoice: failed(400, error("voice 'nobody' is unknown", 'BadRequestError', 400, 'voice'), 'RENDER_FAILED'),
    wrongModel: failed(
      404,
      error("The model 'other' does not exist.", 'invalid_request_error', 'model_not_found', 'model'),
      'INTERNAL_ERROR',
    ),
    wrongSpeed: failed(
      400,
      error('speed must be between 0.25 and 4.0', 'BadRequestError', 400, 'speed'),
      'RENDER_FAILED',
    ),
    tooLong: failed(
      400,
      error('input must be at most 4096 characters', 'BadRequestError', 400, 'input'),
      'RENDER_FAILED',
    ),
    spells: {
      full: failed(503, error('The request queue is full.', 'server_error'), 'PROVIDER_BUSY'),
      'out of memory': failed(500, error(OUT_OF_MEMORY, 'server_error'), 'PROVIDER_UNAVAILABLE'),
      gone: GONE,
    },
  },
  nari: {
    pages: {
      '/v1/models': models('qwen', 'Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice'),
      '/openapi.json': described('Nari Qwen3-TTS', '/health', '/ready'),
      '/ready': { json: { ready: true, phase: 'ready', reason: null } },
    },
    model: 'Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice',
    voices: SPEAKERS,
    fields: [...BASIC, 'stream', 'instructions', 'language', 'max_new_tokens', 'seed'],
    speed: [1, 1],
    unknownField: failed(
      422,
      invalid('task_type', 'Extra inputs are not permitted', 'extra_forbidden'),
      'RENDER_FAILED',
    ),
    wrongVoice: failed(422, { detail: "unsupported speaker: 'nobody'" }, 'RENDER_FAILED'),
    wrongModel: failed(422, { detail: "unsupported model: 'other'" }, 'INTERNAL_ERROR'),
    wrongSpeed: failed(422, { detail: 'Qwen3-TTS speed is fixed at 1.0' }, 'RENDER_FAILED'),
    spells: {
      loading: failed(503, { detail: 'Qwen3-TTS service is not ready: starting' }, 'PROVIDER_UNAVAILABLE'),
      full: failed(429, { detail: 'active request capacity exceeded' }, 'PROVIDER_BUSY'),
      failing: failed(500, { detail: 'Qwen3-TTS serving request failed' }, 'PROVIDER_UNAVAILABLE'),
      gone: GONE,
    },
  },
  kokoro: {
    pages: {
      '/v1/models': models('kokoro', 'tts-1', 'tts-1-hd', 'kokoro', 'gpt-4o-mini-tts'),
      '/openapi.json': described('Kokoro TTS API', '/v1/audio/voices', '/dev/captioned_speech', '/health'),
      '/v1/audio/voices': { json: { voices: ['af_heart', 'bf_emma', 'jf_alpha'].map((id) => ({ id, name: id })) } },
    },
    model: 'kokoro',
    voices: ['af_heart', 'bf_emma', 'jf_alpha'],
    fields: [...BASIC, 'stream', 'lang_code'],
    speed: [0.25, 4],
    wrongVoice: failed(
      400,
      kokoroError('validation_error', "Voice 'nobody' not found. Available voices: af_heart, bf_emma, jf_alpha"),
      'RENDER_FAILED',
    ),
    wrongModel: failed(400, kokoroError('invalid_model', 'Unsupported model: other'), 'INTERNAL_ERROR'),
    wrongSpeed: failed(
      422,
      invalid('speed', 'Input should be less than or equal to 4', 'less_than_equal'),
      'RENDER_FAILED',
    ),
    spells: {
      'out of memory': failed(500, kokoroError('processing_error', OUT_OF_MEMORY), 'PROVIDER_UNAVAILABLE'),
      // Its process ends under several requests at once.
      gone: GONE,
      'broken off': CUT,
    },
  },
  speaches: {
    pages: {
      '/v1/models': {
        json: {
          object: 'list',
          data: [
            { id: 'Systran/faster-whisper-small', owned_by: 'Systran', task: 'automatic-speech-recognition' },
            {
              id: 'speaches-ai/Kokoro-82M-v1.0-ONNX',
              owned_by: 'speaches-ai',
              task: 'text-to-speech',
              sample_rate: 24_000,
              voices: [
                { name: 'af_heart', language: 'en-us', gender: 'female', id: 'af_heart' },
                { name: 'pf_dora', language: 'pt-br', gender: 'female', id: 'pf_dora' },
              ],
            },
            {
              id: 'speaches-ai/piper-de_DE-thorsten-high',
              owned_by: 'speaches-ai',
              task: 'text-to-speech',
              sample_rate: 22_050,
              voices: [{ name: 'thorsten', language: 'de', id: 'thorsten' }],
            },
          ],
        },
      },
      '/openapi.json': described('Speaches', '/v1/audio/voices', '/api/ps', '/health'),
      '/v1/audio/voices': {
        json: { object: 'list', voices: [{ name: 'af_heart' }, { name: 'pf_dora' }, { name: 'thorsten' }] },
      },
    },
    model: 'speaches-ai/Kokoro-82M-v1.0-ONNX',
    voices: ['af_heart', 'pf_dora', 'thorsten'],
    fields: [...BASIC, 'stream_format', 'sample_rate'],
    speed: [0.5, 2],
    // The status is sent before the voice and the speed are looked at.
    wrongVoice: CUT,
    wrongSpeed: CUT,
    wrongModel: failed(
      404,
      {
        detail: "Model 'other' is not installed locally. You can download the model using `POST /v1/models`",
      },
      'INTERNAL_ERROR',
    ),
    wrongKey: failed(403, { detail: 'Invalid API key. The provided API key is incorrect.' }, 'INTERNAL_ERROR'),
    spells: { failing: failed(500, 'Internal Server Error', 'PROVIDER_UNAVAILABLE'), 'broken off': CUT, gone: GONE },
  },
  localai: {
    pages: {
      '/v1/models': { json: { object: 'list', data: ['qwen3-chat', 'kokoro'].map((id) => ({ id, object: 'model' })) } },
      '/v1/models/capabilities': {
        json: {
          object: 'list',
          data: [
            { id: 'qwen3-chat', object: 'model', capabilities: ['chat'], output_modalities: ['text'] },
            { id: 'kokoro', object: 'model', capabilities: ['tts'], output_modalities: ['audio'] },
          ],
        },
      },
      '/.well-known/localai.json': { json: { version: 'v4.0.0', endpoints: { tts: '/tts' } } },
      '/readyz': { body: 'OK' },
    },
    model: 'kokoro',
    voices: ['af_heart'],
    fields: [...BASIC, 'stream', 'language', 'instructions', 'sample_rate', 'backend', 'params'],
    speed: [0.25, 4],
    good: { headers: { 'content-type': 'audio/x-wav' } },
    wrongVoice: failed(500, error('rpc error: code = Unknown desc = no such voice', '', 500), 'PROVIDER_UNAVAILABLE'),
    wrongSpeed: failed(400, error('code=400, message=speed must be between 0.25 and 4', '', 400), 'RENDER_FAILED'),
    wrongKey: failed(401, error('An authentication key is required', 'invalid_request_error', 401), 'INTERNAL_ERROR'),
    spells: {
      loading: failed(
        503,
        { ...error('model "kokoro" is still loading', 'model_loading', 'model_loading'), loading: { percent: 40 } },
        'PROVIDER_UNAVAILABLE',
        { 'retry-after': '5' },
      ),
      full: failed(
        503,
        error('model "kokoro" is at capacity (max_concurrent=1); retry after 1s', 'admission_rejected'),
        'PROVIDER_BUSY',
        { 'retry-after': '1' },
      ),
      gone: GONE,
    },
  },
  'chatterbox-tts-api': {
    pages: {
      '/v1/models': models('resemble-ai', 'chatterbox-tts-1'),
      '/openapi.json': described('Chatterbox TTS API', '/audio/speech', '/voices', '/health'),
      '/v1/voices': {
        json: { voices: [{ name: 'narrator', filename: 'narrator.wav', language: 'fr', aliases: [] }], count: 1 },
      },
      '/health': { json: { status: 'healthy', model_loaded: true, initialization_state: 'ready' } },
    },
    model: 'chatterbox-tts-1',
    voices: ['narrator'],
    fields: [...BASIC, 'stream_format', 'exaggeration', 'cfg_weight', 'temperature'],
    speed: [1, 1],
    mostCharacters: 3000,
    // Its own default voice speaks.
    wrongVoice: null,
    wrongSpeed: null,
    tooLong: failed(
      422,
      invalid('input', 'String should have at most 3000 characters', 'string_too_long'),
      'RENDER_FAILED',
    ),
    spells: {
      loading: failed(500, error('Model not loaded', 'model_error'), 'PROVIDER_UNAVAILABLE'),
      'out of memory': failed(
        500,
        error(`TTS generation failed: ${OUT_OF_MEMORY}`, 'generation_error'),
        'PROVIDER_UNAVAILABLE',
      ),
      gone: GONE,
    },
  },
  'chatterbox-tts-server': {
    pages: {
      '/openapi.json': described('Chatterbox TTS Server', '/v1/audio/voices', '/tts', '/api/model-info'),
      '/v1/audio/voices': { json: { status: 'ok', voices: ['Abigail.wav', 'Adrian.wav'] } },
      '/api/model-info': { json: { loaded: true, type: 'original', sample_rate: 24_000 } },
    },
    model: 'chatterbox',
    voices: ['Abigail.wav', 'Adrian.wav'],
    fields: [...BASIC, 'seed'],
    wrongVoice: failed(404, { detail: "Voice file 'nobody' not found." }, 'RENDER_FAILED'),
    spells: {
      loading: failed(
        503,
        { detail: 'TTS engine model is not currently loaded or available.' },
        'PROVIDER_UNAVAILABLE',
      ),
      'out of memory': failed(
        500,
        { detail: '500: TTS engine failed to synthesize audio for chunk 1.' },
        'PROVIDER_UNAVAILABLE',
      ),
      // The text's own fault under a server's code.
      'without anything to say': failed(
        500,
        { detail: '400: Text processing resulted in no usable chunks.' },
        'RENDER_FAILED',
      ),
      gone: GONE,
    },
  },
  orpheus: {
    pages: {
      '/openapi.json': described('Orpheus-FASTAPI', '/v1/audio/voices', '/speak'),
      '/v1/audio/voices': { json: { status: 'ok', voices: ['tara', 'pierre', '유나'] } },
    },
    model: 'orpheus',
    voices: ['tara', 'pierre', '유나'],
    fields: BASIC,
    speed: [1, 1],
    wrongVoice: null,
    wrongSpeed: null,
    spells: {
      // Its model's server cannot be reached: a file of no seconds.
      'without its model': [{ seconds: 0 }, 'PROVIDER_UNAVAILABLE'],
      failing: failed(500, 'Internal Server Error', 'PROVIDER_UNAVAILABLE'),
      gone: GONE,
    },
  },
  'openedai-speech': {
    pages: {
      '/v1/models': models('user', 'tts-1', 'tts-1-hd'),
      '/openapi.json': described('FastAPI', '/health', '/v1/billing/usage', '/v1/models/{model}'),
      '/health': { json: { status: 'ok' } },
    },
    model: 'tts-1',
    voices: ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'],
    fields: BASIC,
    // ffmpeg cannot know the length.
    good: { streamingHeader: true },
    wrongVoice: failed(
      400,
      {
        message: "Error loading voice: nobody, KeyError: 'nobody'",
        code: 400,
        type: 'BadRequestError',
        param: 'voice',
      },
      'RENDER_FAILED',
    ),
    wrongModel: failed(
      400,
      {
        message: 'No such model, must be tts-1 or tts-1-hd.',
        code: 400,
        type: 'BadRequestError',
        param: 'model',
      },
      'INTERNAL_ERROR',
    ),
    spells: {
      'with a wrong configuration': failed(
        503,
        {
          message: "Configuration error: tts-1 voice 'alloy' is missing 'model:' setting.",
          code: 503,
          type: 'ServiceUnavailableError',
          param: '',
        },
        'PROVIDER_UNAVAILABLE',
      ),
      'without a sound': [{ body: '' }, 'PROVIDER_UNAVAILABLE'],
      failing: failed(500, { message: 'InternalServerError', code: 500 }, 'PROVIDER_UNAVAILABLE'),
      gone: GONE,
    },
  },
  openai: {
    pages: {
      '/v1/models': {
        ...models('system', 'gpt-5', 'tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'whisper-1'),
        headers: { 'openai-version': '2020-10-01' },
      },
    },
    model: 'gpt-4o-mini-tts',
    voices: ['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'],
    fields: [...BASIC, 'instructions', 'stream_format'],
    speed: [0.25, 4],
    mostCharacters: 4096,
    unknownField: failed(
      400,
      error("Unknown parameter: 'stream'.", 'invalid_request_error', 'unknown_parameter', 'stream'),
      'RENDER_FAILED',
    ),
    wrongVoice: failed(
      400,
      error("Input should be 'alloy', 'ash' or 'coral'", 'invalid_request_error', null, 'voice'),
      'RENDER_FAILED',
    ),
    wrongModel: failed(
      404,
      error(
        'The model `other` does not exist or you do not have access to it.',
        'invalid_request_error',
        'model_not_found',
      ),
      'INTERNAL_ERROR',
    ),
    wrongSpeed: failed(
      400,
      error('Input should be less than or equal to 4', 'invalid_request_error', null, 'speed'),
      'RENDER_FAILED',
    ),
    tooLong: failed(
      400,
      error('String should have at most 4096 characters', 'invalid_request_error', 'string_too_long', 'input'),
      'RENDER_FAILED',
    ),
    wrongKey: failed(
      401,
      error('Incorrect API key provided: sk-wr**ong.', 'invalid_request_error', 'invalid_api_key'),
      'INTERNAL_ERROR',
    ),
    spells: {
      'over its rate': failed(
        429,
        error('Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
        'PROVIDER_BUSY',
        { 'retry-after': '2' },
      ),
      'without a quota': failed(
        429,
        error(
          'You exceeded your current quota, please check your plan and billing details.',
          'insufficient_quota',
          'insufficient_quota',
        ),
        'INTERNAL_ERROR',
      ),
      overloaded: failed(
        503,
        error('The engine is currently overloaded, please try again later', 'service_unavailable_error'),
        'PROVIDER_BUSY',
      ),
      failing: failed(
        500,
        error('The server had an error while processing your request.', 'server_error'),
        'PROVIDER_UNAVAILABLE',
      ),
      gone: GONE,
    },
  },
}

export interface KindServer extends SpeechServer {
  readonly kind: ServerKind
  /** Every request fails this way from now on; null: it is well again. */
  suffer(spell: string | null): void
}

export const KNOWN_PROFILES = PROFILES.filter((profile) => profile !== 'generic')

/** A server that behaves as the ones of its kind do. @param key it wants this one */
export async function startServerOf(profile: Exclude<Profile, 'generic'>, key?: string): Promise<KindServer> {
  const kind: ServerKind = SERVER_KINDS[profile]
  const server = await startSpeechServer()
  let spell: Fault | undefined
  server.show(kind.pages, (headers) =>
    key === undefined || headers.authorization === `Bearer ${key}` ? undefined : (kind.wrongKey?.[0] ?? undefined),
  )
  server.answer((call) => (spell ?? wrongIn(kind, call))?.[0] ?? kind.good ?? {})
  return {
    ...server,
    kind,
    suffer: (name) => {
      spell = name === null ? undefined : kind.spells[name]
    },
  }
}

function wrongIn(kind: ServerKind, { body }: SpeechCall): Fault | undefined {
  const { model, voice, speed = 1, input } = body
  const [slowest, fastest] = kind.speed ?? [0, Number.POSITIVE_INFINITY]
  if (Object.keys(body).some((field) => !kind.fields.includes(field))) return kind.unknownField
  if (model !== kind.model && kind.wrongModel !== undefined) return kind.wrongModel
  if (!kind.voices.includes(String(voice).toLowerCase()) && !kind.voices.includes(String(voice))) return kind.wrongVoice
  if (Number(speed) < slowest || Number(speed) > fastest) return kind.wrongSpeed
  if (String(input).length > (kind.mostCharacters ?? Number.POSITIVE_INFINITY)) return kind.tooLong
  return undefined
}
