import type { CaptionFormat } from '../audio/caption-format.ts'
import type { FileFormat } from '../audio/format.ts'
import type { Detail } from '../errors/service-error.ts'
/** Fields of the poll body that an endpoint may declare in `response_fields`. */
export const RESPONSE_FIELDS = ['created_at', 'completed_at'] as const
export type ResponseField = (typeof RESPONSE_FIELDS)[number]
/** In what formats an endpoint stores speech: the first one unless a job says otherwise. */
interface AudioBlock {
  readonly formats: readonly FileFormat[]
  /** The endpoint's own input that chooses among them. */
  readonly format_input?: string | undefined
}

/** Which captions of its speech are outputs of an endpoint's jobs. */
export interface CaptionsBlock {
  readonly formats: readonly CaptionFormat[]
  /** The endpoint's own input that chooses among them; absent: all of them, always. */
  readonly captions_input?: string | undefined
}

/** What clients of OpenAI's API may call an endpoint and its voices. */
interface OpenaiBlock {
  readonly models?: readonly string[] | undefined
  /** OpenAI's name to a voice's slug. */
  readonly voices?: Readonly<Record<string, string>> | undefined
}

export type JsonSchema = Readonly<Record<string, unknown>>
export type VoiceKind = 'preset' | 'reference'

/** A voice as the catalog shows it, and what the engine needs of it. */
export interface Voice {
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly kind: VoiceKind
  readonly engineVoice: string | null
  readonly referenceText: string | null
  /** The one that it was made for, in the service's spelling; absent or null: not said. */
  readonly language?: string | null
}

/** A voice endpoint as every process holds it in memory. */
export interface VoiceEndpoint {
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly published: boolean
  readonly requiredScope: string | null
  readonly voiceInput: string
  readonly inputs: JsonSchema
  /** The longest text that the operator allows, in Unicode code points; absent: the usual one. */
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
  /** Whether callers may speak as voices of their account's own here. */
  readonly libraryVoices?: boolean
  /** When it was applied last; absent from what is not stored yet. */
  readonly updatedAt?: Date
  /** What may stand in texts besides what is spoken: `pauses` or `ssml`; absent or null: nothing. */
  readonly markup?: string | null
  /** `as_is`: speech keeps the loudness that its engine gives it; absent or null: all voices are equally loud. */
  readonly loudness?: string | null
}

/** The server that runs a workflow. */
export interface WorkflowEngine {
  readonly kind: 'cog'
  /** Without the trailing slash. */
  readonly base_url: string
  /** Predictions that all workers together run on the server at once, unless something else names it with a lower limit. */
  readonly max_in_flight: number
  /** How long a server that is full is asked again before the job fails with PROVIDER_BUSY. */
  readonly busy_patience_seconds: number
  /** How long a server that is away is asked again before the job fails with PROVIDER_UNAVAILABLE; absent from files of earlier versions. */
  readonly retry_seconds?: number
}

/** A workflow as every process holds it in memory. */
export interface Workflow {
  readonly slug: string
  readonly name: string
  readonly description: string | null
  readonly inputs: JsonSchema
  readonly engine: WorkflowEngine
  readonly timeLimitSeconds: number
  readonly creditsPerJob: number
}

/** Notifies every process that the operator changed an endpoint. */
export const CATALOG_CHANNEL = 'sonant_catalog'

/** A public document, ready to be sent as it is. */
export interface PublicDocument {
  readonly body: Buffer
  /** A strong entity tag, quotes included. */
  readonly etag: string
}

/** All endpoints at one point in time. Every request reads one snapshot, so it never sees half of a change. */
export interface CatalogSnapshot {
  readonly catalogVersion: string
  readonly endpoints: ReadonlyMap<string, VoiceEndpoint>
  /** Those that the public catalog shows. */
  readonly open: readonly VoiceEndpoint[]
  readonly validators: ReadonlyMap<string, InputsValidator>
  /** By slug; workflows are in no public document. */
  readonly workflows: ReadonlyMap<string, Workflow>
  readonly workflowValidators: ReadonlyMap<string, InputsValidator>
  /** The whole public catalog. */
  readonly whole: PublicDocument
  /** Its entries by slug. */
  readonly entries: ReadonlyMap<string, PublicDocument>
}

/** The process's copy of the endpoints, renewed whenever the operator changes one. */
export interface Catalog {
  readonly current: CatalogSnapshot
  /** Whether it was read at least once. */
  readonly isLoaded: boolean
  reload(): Promise<void>
  /** What a voice of an endpoint sounds like: the bytes of its audio file; null where it has none, or is gone. @throws where the database is away */
  recordingOf(endpoint: VoiceEndpoint, voiceSlug: string): Promise<Uint8Array | null>
}

/** Fills in defaults in place, and returns what is wrong: nothing when the inputs are valid. `path` starts with `/inputs`. */
export type InputsValidator = (inputs: Record<string, unknown>) => readonly Detail[]
