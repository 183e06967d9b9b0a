import type { CaptionFormat, FileFormat } from '../audio/format.ts'
import type { Detail } from '../errors/service-error.ts'
export const RESPONSE_FIELDS = ['created_at', 'completed_at'] as const
export type ResponseField = (typeof RESPONSE_FIELDS)[number]
interface AudioBlock {
  readonly formats: readonly FileFormat[]
  readonly format_input?: string | undefined
}

export interface CaptionsBlock {
  readonly formats: readonly CaptionFormat[]
  /** Absent: all captions, always. */
  readonly captions_input?: string | undefined
}

interface OpenaiBlock {
  readonly models?: readonly string[] | undefined
  readonly voices?: Readonly<Record<string, string>> | undefined
}

export type JsonSchema = Readonly<Record<string, unknown>>
export type VoiceKind = 'preset' | 'reference'

export interface Voice {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly kind: VoiceKind
  readonly engineVoice: string | null
  readonly referenceText: string | null
  readonly language?: string | null
}

export interface VoiceEndpoint {
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly published: boolean
  readonly requiredScope: string | null
  readonly voiceInput: string
  readonly inputs: JsonSchema
  /** In Unicode code points; absent: the service's maximum. */
  readonly maxTextCharacters?: number
  readonly responseFields: readonly ResponseField[]
  readonly engine: Readonly<{ kind: string; pool?: string } & Record<string, unknown>>
  readonly timeLimitSeconds: number
  readonly creditsPerCharacter: number
  readonly voices: readonly Voice[]
  /** Absent: WAV. */
  readonly audio?: AudioBlock | null
  /** Absent: none. */
  readonly captions?: CaptionsBlock | null
  readonly openai?: OpenaiBlock | null
  readonly libraryVoices?: boolean
  /** Absent before the endpoint is stored. */
  readonly updatedAt?: Date
  /** `pauses` or `ssml`; absent or null: none. */
  readonly markup?: string | null
  /** `skip` leaves out blocks of code of Markdown; absent or null: they are read. */
  readonly code?: string | null
  /** `as_is` keeps the engine's loudness; absent or null: all voices are equally loud. */
  readonly loudness?: string | null
  /** `on` or `off`; absent or null: by the engine. */
  readonly textNormalization?: string | null
}

export interface WorkflowEngine {
  readonly kind: 'cog'
  /** Without the trailing slash. */
  readonly base_url: string
  /** Over all workers, unless something else sets a lower limit. */
  readonly max_in_flight: number
  /** How long a full server is asked again before the job fails with PROVIDER_BUSY. */
  readonly busy_patience_seconds: number
  /** How long an unreachable server is asked again before PROVIDER_UNAVAILABLE; absent in files of earlier versions. */
  readonly retry_seconds?: number
}

export interface Workflow {
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly inputs: JsonSchema
  readonly engine: WorkflowEngine
  readonly timeLimitSeconds: number
  readonly creditsPerJob: number
}

export const CATALOG_CHANNEL = 'sonant_catalog'

export interface PublicDocument {
  readonly body: Buffer
  /** Strong entity tag, quotes included. */
  readonly etag: string
}

/** All endpoints at one point in time. A request reads one snapshot and never sees half of a change. */
export interface CatalogSnapshot {
  readonly catalogVersion: string
  readonly endpoints: ReadonlyMap<string, VoiceEndpoint>
  readonly open: readonly VoiceEndpoint[]
  readonly validators: ReadonlyMap<string, InputsValidator>
  readonly workflows: ReadonlyMap<string, Workflow>
  readonly workflowValidators: ReadonlyMap<string, InputsValidator>
  readonly whole: PublicDocument
  readonly entries: ReadonlyMap<string, PublicDocument>
}

/** The process's copy of the endpoints, renewed after every change. */
export interface Catalog {
  readonly current: CatalogSnapshot
  readonly isLoaded: boolean
  reload(): Promise<void>
  /** Returns the audio file, or null if there is none. @throws if the database is unreachable */
  recordingOf(endpoint: VoiceEndpoint, voiceSlug: string): Promise<Uint8Array | null>
}

/** Fills in defaults in place and returns violations; paths start with `/inputs`. */
export type InputsValidator = (inputs: Record<string, unknown>) => readonly Detail[]
