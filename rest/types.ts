// Generated from rest/openapi.yaml by codegen.ts: change that file instead.

/**
 * Ids sort by creation time.
 */
export type JobId = string
export type MediaKind = 'image' | 'video' | 'audio'
/**
 * Failed jobs only; the value to branch on. Submit again after a short wait: PROVIDER_BUSY, PROVIDER_UNAVAILABLE,
 * QUEUE_FAILED, INTERNAL_ERROR, JOB_TIMEOUT (or simplify the request). Not without a change: RENDER_FAILED (fix the
 * inputs), CHARGE_FAILED (top up the account), JOB_CANCELLED.
 *
 */
export type JobErrorCode =
  | 'PROVIDER_BUSY'
  | 'PROVIDER_UNAVAILABLE'
  | 'JOB_TIMEOUT'
  | 'JOB_CANCELLED'
  | 'RENDER_FAILED'
  | 'CHARGE_FAILED'
  | 'QUEUE_FAILED'
  | 'INTERNAL_ERROR'
/**
 * `completed` and `failed` are final.
 */
export type JobStatus = 'queued' | 'processing' | 'completed' | 'failed'
/**
 * How times are known; see the operation.
 */
export type TimeSource = 'engine' | 'aligned' | 'estimated'
export type JobType = 'voice' | 'companion_chat' | 'companion_retarget' | 'companion_media_tag' | 'generate'

/**
 * Every schema by its name in the document.
 */
export interface Schemas {
  VoiceJobRequest: VoiceJobRequest
  GenerationRequest: GenerationRequest
  ChatRequest: ChatRequest
  ChatJob: ChatJob
  RetargetRequest: RetargetRequest
  RetargetJob: RetargetJob
  MediaTagRequest: MediaTagRequest
  MediaKind: MediaKind
  MediaTagJob: MediaTagJob
  CompanionFailure: CompanionFailure
  VoiceJobReceipt: VoiceJobReceipt
  VoiceJob: VoiceJob
  VoiceJobOutputs: VoiceJobOutputs
  TimeSource: TimeSource
  TimedText: TimedText
  SpeechTimes: SpeechTimes
  JobType: JobType
  JobSummary: JobSummary
  Usage: Usage
  Account: Account
  VoiceUpload: VoiceUpload
  Lexicon: Lexicon
  AccountVoice: AccountVoice
  AccountVoices: AccountVoices
  DeletedVoice: DeletedVoice
  JobPage: JobPage
  Job: Job
  VoiceResult: VoiceResult
  GenerationResult: GenerationResult
  ChatResult: ChatResult
  MediaTagResult: MediaTagResult
  SignedOutputs: SignedOutputs
  JobId: JobId
  JobStatus: JobStatus
  JobErrorCode: JobErrorCode
  Voice: Voice
  EndpointVoices: EndpointVoices
  EndpointSchema: EndpointSchema
  VoiceEndpoint: VoiceEndpoint
  Catalog: Catalog
  Detail: Detail
  Error: Error
}
/**
 * The envelope that every voice endpoint takes.
 */
export interface VoiceJobRequest {
  /**
   * The endpoint's own named inputs, as its `schema` says. Unknown keys are rejected.
   */
  inputs: {
    [k: string]: unknown
  }
  /**
   * Receives the signed webhook when the job ends, instead of the account's webhook. HTTPS only, without
   * credentials, at most 2,048 characters, not pointing to a private or reserved address; port 443 or 1024 to 65535.
   *
   */
  webhook_url?: string
}
export interface GenerationRequest {
  /**
   * The workflow's own named inputs. Unknown keys are rejected.
   */
  inputs: {
    [k: string]: unknown
  }
  /**
   * Receives the signed webhook when the job ends, instead of the account's webhook. HTTPS only, without
   * credentials, at most 2,048 characters, not pointing to a private or reserved address; port 443 or 1024 to 65535.
   *
   */
  webhook_url?: string
}
export interface ChatRequest {
  /**
   * Goes on with a chat; absent: a new one.
   */
  chat_id?: string
  message: string
}
export interface ChatJob {
  job_id: JobId
  status: 'completed'
  /**
   * Whether moderation rejected the message or the reply.
   */
  is_prohibited: boolean
  /**
   * Goes on with this chat.
   */
  chat_id: string
  /**
   * Null when rejected or when no model is configured.
   */
  reply: string | null
}
export interface RetargetRequest {
  chat_id: string
  persona: string
}
export interface RetargetJob {
  job_id: JobId
  status: 'completed'
  /**
   * Whether moderation rejected the persona.
   */
  is_prohibited: boolean
  chat_id: string
}
export interface MediaTagRequest {
  /**
   * HTTP or HTTPS, without credentials, not pointing to a private or reserved address.
   */
  media_url: string
  media_kind: MediaKind
}
export interface MediaTagJob {
  job_id: JobId
  status: 'completed'
  /**
   * Whether moderation rejected the medium or its tags.
   */
  is_prohibited: boolean
  media_url: string
  media_kind: MediaKind
  tags: string[]
}
export interface CompanionFailure {
  job_id: JobId
  status: 'failed'
  /**
   * One sentence that says what is wrong or what to do next.
   */
  error: string
  error_code: JobErrorCode
}
export interface VoiceJobReceipt {
  job_id: JobId
  status: 'queued'
}
/**
 * A voice job, as polling and the webhook report it. It has the properties below and the fields that the
 * endpoint's `response_fields` name.
 *
 */
export interface VoiceJob {
  job_id: JobId
  status: JobStatus
  created_at?: string
  /**
   * Null while the job is unfinished.
   */
  completed_at?: string | null
  outputs?: VoiceJobOutputs
  /**
   * Failed jobs only. One sentence that says what is wrong or what to do next.
   */
  error?: string
  error_code?: JobErrorCode
}
/**
 * Completed jobs only. Output name to signed URL; the URLs expire after 15 minutes.
 */
export interface VoiceJobOutputs {
  /**
   * The speech: `audio/wav` unless the endpoint says otherwise.
   */
  audio: string
  [k: string]: string
}
export interface TimedText {
  text: string
  /**
   * In seconds of the audio.
   */
  start: number
  /**
   * In seconds of the audio.
   */
  end: number
  /**
   * Where it begins in the submitted text in Unicode code points.
   */
  offset: number
  /**
   * In Unicode code points of the submitted text.
   */
  length: number
  source: TimeSource
}
export interface SpeechTimes {
  timing: TimeSource
  words: TimedText[]
  sentences: TimedText[]
  /**
   * The `<mark>`s of a text in SSML, in their order. Absent where it has none.
   */
  marks?: {
    name: string
    /**
     * When it is reached, in seconds of the audio.
     */
    start: number
    /**
     * Where it stands in the submitted text, in Unicode code points.
     */
    offset: number
  }[]
}
/**
 * A job as the list shows it.
 */
export interface JobSummary {
  job_id: JobId
  type: JobType
  /**
   * What made it: `voice.<slug>`, `generate.<workflow-slug>`, `chat.companion`, `chat.companion_retarget` or
   * `media.companion_tag`.
   *
   */
  endpoint_key: string
  status: JobStatus
  /**
   * The verdict. Companion jobs only; null until it is decided.
   */
  is_prohibited?: boolean | null
  /**
   * The key that it was submitted with; null for a job that was not submitted with one. Stays after the key is deleted.
   */
  api_key_id: string | null
  /**
   * The name of that key; null after it is deleted.
   */
  api_key_name: string | null
  created_at: string
  /**
   * Null while the job is unfinished.
   */
  completed_at: string | null
}
export interface Usage {
  /**
   * The moment that all numbers are of, rounded up. A job that was accepted just before it may be missing; a window
   * that ended before it lacks none.
   *
   */
  as_of: string
  /**
   * By bucket and group.
   */
  rows: {
    /**
     * When the day or the hour begins.
     */
    bucket: string
    /**
     * The key that submitted the jobs. Only with the group `api_key`.
     */
    api_key_id?: string | null
    /**
     * Their endpoint or workflow. Only with the group `endpoint`.
     */
    endpoint_key?: string
    /**
     * Their type. Only with the group `type`.
     */
    type?: string
    /**
     * Their status. Only with the group `status`.
     */
    status?: string
    /**
     * Their voice. Only with the group `voice`.
     */
    voice?: string | null
    /**
     * Their tag. Only with the group `tag`.
     */
    tag?: string | null
    /**
     * How many.
     */
    jobs: number
    /**
     * Their credits.
     */
    credits: number
    /**
     * Characters of their texts.
     */
    characters: number
    /**
     * Seconds of their audio.
     */
    audio_seconds: number
    [k: string]: unknown
  }[]
  [k: string]: unknown
}
export interface Account {
  /**
   * The id of the account, `acct_…`.
   */
  account_id: string
  name: string
  /**
   * The balance.
   */
  credits: number
}
export interface VoiceUpload {
  /**
   * What no other voice of the account is called.
   */
  name: string
  /**
   * A file of at most 10 MiB: WAV, FLAC, MP3, Ogg Opus or WebM.
   */
  audio_sample: string
  /**
   * How the speaker agreed, in your own words.
   */
  consent: string
  /**
   * What the recording says: some engines need it.
   */
  ref_text?: string
  /**
   * The language of the recording.
   */
  language?:
    | 'Chinese'
    | 'English'
    | 'Japanese'
    | 'Korean'
    | 'French'
    | 'German'
    | 'Italian'
    | 'Spanish'
    | 'Portuguese'
    | 'Russian'
}
export interface Lexicon {
  /**
   * @maxItems 10000
   */
  entries: {
    /**
     * The language in which it holds, such as `English`; all without one.
     */
    language?: string
    /**
     * A word or several.
     */
    grapheme: string
    /**
     * What is said instead.
     */
    alias: string
  }[]
}
export interface AccountVoice {
  /**
   * The value to send in the voice input, `voice_…`.
   */
  voice_id: string
  name: string
  /**
   * How long the recording is.
   */
  duration_ms: number
  /**
   * What it says.
   */
  ref_text: string | null
  language: string | null
  created_at: string
}
export interface AccountVoices {
  voices: AccountVoice[]
}
export interface DeletedVoice {
  voice_id: string
  deleted: true
}
export interface JobPage {
  jobs: JobSummary[]
  /**
   * The exact number of matching jobs.
   */
  total: number
  limit: number
  offset: number
}
/**
 * A job of any type.
 */
export interface Job {
  job_id: JobId
  type: JobType
  /**
   * What made it: `voice.<slug>`, `generate.<workflow-slug>`, `chat.companion`, `chat.companion_retarget` or
   * `media.companion_tag`.
   *
   */
  endpoint_key: string
  status: JobStatus
  /**
   * The verdict. Companion jobs only; null until it is decided.
   */
  is_prohibited?: boolean | null
  /**
   * The key that it was submitted with; null for a job that was not submitted with one. Stays after the key is deleted.
   */
  api_key_id: string | null
  /**
   * The name of that key; null after it is deleted.
   */
  api_key_name: string | null
  created_at: string
  /**
   * Null while the job is unfinished.
   */
  completed_at: string | null
  /**
   * Completed jobs only. Its fields depend on the job's type.
   */
  result?: VoiceResult | GenerationResult | ChatResult | MediaTagResult
  /**
   * Failed jobs only. One sentence that says what is wrong or what to do next.
   */
  error?: string
  error_code?: JobErrorCode
}
/**
 * Of a voice job.
 */
export interface VoiceResult {
  created_at: string
  completed_at: string
  outputs: SignedOutputs
  endpoint_slug: string
}
/**
 * Output name to signed URL; the URLs expire after 15 minutes.
 */
export interface SignedOutputs {
  [k: string]: string
}
/**
 * Of a generation job.
 */
export interface GenerationResult {
  created_at: string
  completed_at: string
  outputs: SignedOutputs
  workflow_slug: string
}
/**
 * Of a companion chat or retarget.
 */
export interface ChatResult {
  is_prohibited: boolean | null
  chat_id: string | null
}
/**
 * Of a companion media tag.
 */
export interface MediaTagResult {
  is_prohibited: boolean | null
  /**
   * The address that was submitted.
   */
  media_url: string | null
  media_kind: string | null
}
export interface Voice {
  /**
   * The value to send in the voice input.
   */
  slug: string
  name: string
  description: string
  kind: 'reference' | 'preset'
}
export interface EndpointVoices {
  slug: string
  /**
   * The name of the input that selects the voice.
   */
  voice_input: string
  voices: Voice[]
}
export interface EndpointSchema {
  slug: string
  /**
   * `voice.` and the slug.
   */
  endpoint_key: string
  method: 'POST'
  path: string
  scope: 'generate:voice'
  /**
   * Changes only when the endpoint's contract changes.
   */
  schema_version: string
  /**
   * JSON Schema (draft 2020-12) of the request body, plus an `x-outputs` map that describes the outputs.
   */
  schema: {
    [k: string]: unknown
  }
  /**
   * The fields that a job of this endpoint has in addition to `status` and `outputs`.
   */
  response_fields: string[]
  /**
   * The name of the input that selects the voice.
   */
  voice_input: string
}
export interface VoiceEndpoint {
  slug: string
  /**
   * `voice.` and the slug.
   */
  endpoint_key: string
  method: 'POST'
  path: string
  scope: 'generate:voice'
  /**
   * Changes only when the endpoint's contract changes.
   */
  schema_version: string
  /**
   * JSON Schema (draft 2020-12) of the request body, plus an `x-outputs` map that describes the outputs.
   */
  schema: {
    [k: string]: unknown
  }
  /**
   * The fields that a job of this endpoint has in addition to `status` and `outputs`.
   */
  response_fields: string[]
  /**
   * The name of the input that selects the voice.
   */
  voice_input: string
  name: string
  description: string | null
  voices: Voice[]
}
export interface Catalog {
  /**
   * Changes when anything in the catalog does.
   */
  catalog_version: string
  endpoints: VoiceEndpoint[]
}
export interface Detail {
  /**
   * A JSON pointer into the body, or the name of a parameter.
   */
  path: string
  message: string
}
/**
 * The body of every error.
 */
export interface Error {
  /**
   * One sentence that says what is wrong or what to do next.
   */
  error: string
  /**
   * The value to branch on.
   */
  error_code:
    | 'INVALID_REQUEST'
    | 'UNAUTHORIZED'
    | 'PAYMENT_REQUIRED'
    | 'FORBIDDEN'
    | 'NOT_FOUND'
    | 'METHOD_NOT_ALLOWED'
    | 'IDEMPOTENCY_IN_PROGRESS'
    | 'JOB_UNFINISHED'
    | 'GONE'
    | 'PAYLOAD_TOO_LARGE'
    | 'UNSUPPORTED_MEDIA_TYPE'
    | 'IDEMPOTENCY_MISMATCH'
    | 'RATE_LIMITED'
    | 'INTERNAL_ERROR'
    | 'UNAVAILABLE'
  /**
   * On 400 only.
   */
  details?: Detail[]
}
