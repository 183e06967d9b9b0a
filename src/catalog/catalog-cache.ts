import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type {
  Catalog,
  CatalogSnapshot,
  InputsValidator,
  JsonSchema,
  PublicDocument,
  VoiceEndpoint,
  Workflow,
} from '../context/catalog-snapshot.ts'
import type { Parts } from '../context/context.ts'
import type { Database } from '../db/database.ts'
import { catalogEntry, isPublic, versionOf } from './voice-endpoint.ts'

const VOICES = `
  select slug, name, description, kind, engine_voice as "engineVoice", reference_text as "referenceText", language
  from voice where endpoint_slug = voice_endpoint.slug order by position`
const ENDPOINTS = `
  select slug, name, description, published, required_scope as "requiredScope", voice_input as "voiceInput", inputs,
    response_fields as "responseFields", engine, time_limit_seconds as "timeLimitSeconds",
    credits_per_character as "creditsPerCharacter", audio, captions, openai, library_voices as "libraryVoices", markup, code, loudness,
    text_normalization as "textNormalization", updated_at as "updatedAt", array(select row_to_json(voice) from (${VOICES}) voice) as voices
  from voice_endpoint order by slug`
const WORKFLOWS = `
  select slug, name, description, inputs, engine, time_limit_seconds as "timeLimitSeconds", credits_per_job as "creditsPerJob"
  from workflow order by slug`
const ROWS = `
  select array(select row_to_json(endpoint) from (${ENDPOINTS}) endpoint) as endpoints,
    array(select row_to_json(workflow) from (${WORKFLOWS}) workflow) as workflows`

const MOST_BYTES = 32 * 1024 ** 2

interface CatalogParts {
  readonly maxTextCharacters?: number
  readonly compile: (schema: JsonSchema) => InputsValidator
  /** Runs before callers see the snapshot. */
  readonly prepare: (snapshot: CatalogSnapshot) => Promise<void>
}

interface CatalogRows {
  readonly endpoints: readonly VoiceEndpoint[]
  readonly workflows: readonly Workflow[]
}

interface StoredRows extends Omit<CatalogRows, 'endpoints'> {
  readonly endpoints: readonly (Omit<VoiceEndpoint, 'updatedAt'> & { readonly updatedAt: string })[]
}

/** Empty until its first `reload`. */
export function openCatalog(db: Database, { compile, prepare, maxTextCharacters }: CatalogParts): Catalog {
  let current = snapshotOf({ endpoints: [], workflows: [] }, compile)
  let begun = 0
  let shown = 0
  return {
    get current() {
      return current
    },
    get isLoaded() {
      return shown > 0
    },
    reload: async () => {
      const turn = ++begun
      const { endpoints, workflows } = await loadRows(db)
      const limited =
        maxTextCharacters === undefined ? endpoints : endpoints.map((one) => ({ ...one, maxTextCharacters }))
      const loaded = snapshotOf({ endpoints: limited, workflows }, compile)
      await prepare(loaded)
      // An older, slower load never replaces a newer one.
      if (turn < shown) return
      shown = turn
      current = loaded
    },
    recordingOf: openVoiceRecordings(db),
  }
}

function snapshotOf({ endpoints: all, workflows }: CatalogRows, compile: CatalogParts['compile']): CatalogSnapshot {
  const open = all.filter(isPublic)
  const entries = open.map(catalogEntry)
  const catalogVersion = versionOf(entries)
  return {
    catalogVersion,
    endpoints: new Map(all.map((endpoint) => [endpoint.slug, endpoint])),
    open,
    validators: new Map(all.map((endpoint) => [endpoint.slug, compile(endpoint.inputs)])),
    workflows: new Map(workflows.map((workflow) => [workflow.slug, workflow])),
    workflowValidators: new Map(workflows.map((workflow) => [workflow.slug, compile(workflow.inputs)])),
    whole: document({ catalog_version: catalogVersion, endpoints: entries }),
    entries: new Map(entries.map((entry) => [entry.slug, document(entry)])),
  }
}

function document(content: unknown): PublicDocument {
  const body = Buffer.from(JSON.stringify(content))
  // Hashes the bytes: bodies that differ only in the order of keys need different strong tags.
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }
}

/** One statement reads all, so that no change is half visible. Recordings stay out. */
export async function loadRows({ pool }: Pick<Database, 'pool'>): Promise<CatalogRows> {
  const { rows } = await pool.query<StoredRows>(ROWS)
  const { endpoints = [], workflows = [] } = rows[0] ?? {}
  return { endpoints: endpoints.map((one) => ({ ...one, updatedAt: new Date(one.updatedAt) })), workflows }
}

/**
 * Looks in the catalog and, if nothing is found, in a reloaded one: another process may just have applied it.
 * @throws the database's error
 */
export async function pollCatalog<T>(
  { catalog }: Pick<Parts, 'catalog'>,
  find: () => T | undefined,
): Promise<T | undefined> {
  const found = find()
  if (found !== undefined) return found
  await catalog.reload()
  return find()
}

/** Caches recordings of endpoint voices by the time of application; concurrent readers share one read. */
export function openVoiceRecordings(db: Database): Catalog['recordingOf'] {
  const kept = new LRUCache<string, Uint8Array>({ maxSize: MOST_BYTES, sizeCalculation: ({ length }) => length || 1 })
  const underWay = new Map<string, Promise<Uint8Array | null>>()
  const read = async (key: string | null, endpointSlug: string, slug: string): Promise<Uint8Array | null> => {
    const row = await db.prisma.voice.findUnique({
      where: { endpointSlug_slug: { endpointSlug, slug } },
      select: { referenceAudio: true },
    })
    const recording = row?.referenceAudio ?? null
    if (recording !== null && key !== null) kept.set(key, recording)
    return recording
  }
  return async ({ slug: endpointSlug, updatedAt }, slug) => {
    if (updatedAt === undefined) return read(null, endpointSlug, slug)
    const key = `${endpointSlug}/${slug}/${updatedAt.getTime()}`
    const known = kept.get(key) ?? underWay.get(key)
    if (known !== undefined) return known
    const reading = read(key, endpointSlug, slug).finally(() => underWay.delete(key))
    underWay.set(key, reading)
    return reading
  }
}
