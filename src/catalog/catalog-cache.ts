import { createHash } from 'node:crypto'
import type {
  Catalog,
  CatalogSnapshot,
  InputsValidator,
  JsonSchema,
  PublicDocument,
} from '../context/catalog-snapshot.ts'
import type { Database } from '../db/database.ts'
import { type CatalogRows, loadRows } from './catalog-rows.ts'
import { catalogEntry, isPublic, versionOf } from './voice-endpoint.ts'
import { openVoiceRecordings } from './voices/voice-recordings.ts'

interface CatalogParts {
  readonly maxTextCharacters?: number
  readonly compile: (schema: JsonSchema) => InputsValidator
  /** Runs before callers see the snapshot. */
  readonly prepare: (snapshot: CatalogSnapshot) => Promise<void>
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
