import type { VoiceEndpoint, Workflow } from '../context/catalog-snapshot.ts'
import type { Database } from '../db/database.ts'

export interface CatalogRows {
  readonly endpoints: readonly VoiceEndpoint[]
  readonly workflows: readonly Workflow[]
}

interface StoredRows extends Omit<CatalogRows, 'endpoints'> {
  readonly endpoints: readonly (Omit<VoiceEndpoint, 'updatedAt'> & { readonly updatedAt: string })[]
}

const VOICES = `
  select slug, name, description, kind, engine_voice as "engineVoice", reference_text as "referenceText", language
  from voice where endpoint_slug = voice_endpoint.slug order by position`
const ENDPOINTS = `
  select slug, name, description, published, required_scope as "requiredScope", voice_input as "voiceInput", inputs,
    response_fields as "responseFields", engine, time_limit_seconds as "timeLimitSeconds",
    credits_per_character as "creditsPerCharacter", audio, captions, openai, library_voices as "libraryVoices", markup, loudness,
    updated_at as "updatedAt", array(select row_to_json(voice) from (${VOICES}) voice) as voices
  from voice_endpoint order by slug`
const WORKFLOWS = `
  select slug, name, description, inputs, engine, time_limit_seconds as "timeLimitSeconds", credits_per_job as "creditsPerJob"
  from workflow order by slug`
const ROWS = `
  select array(select row_to_json(endpoint) from (${ENDPOINTS}) endpoint) as endpoints,
    array(select row_to_json(workflow) from (${WORKFLOWS}) workflow) as workflows`

/** One statement reads all, so that no change is half visible. Recordings stay out. */
export async function loadRows({ pool }: Pick<Database, 'pool'>): Promise<CatalogRows> {
  const { rows } = await pool.query<StoredRows>(ROWS)
  const { endpoints = [], workflows = [] } = rows[0] ?? {}
  return { endpoints: endpoints.map((one) => ({ ...one, updatedAt: new Date(one.updatedAt) })), workflows }
}
