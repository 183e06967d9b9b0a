import { createHash } from 'node:crypto'
import type {
  AudioBlock,
  CaptionsBlock,
  Catalog,
  CatalogSnapshot,
  JsonSchema,
  OpenaiBlock,
  PublicDocument,
  ResponseField,
  VoiceEndpoint,
  Workflow,
  WorkflowEngine,
} from '../context/catalog-snapshot.ts'
import type { Database } from '../db/database.ts'
import { compileInputs } from './validate-inputs.ts'
import { catalogEntry, isPublic, versionOf } from './voice-endpoint.ts'
import { openVoiceRecordings } from './voices/voice-recordings.ts'

/** Empty until its first `reload`. @param prepare makes ready what a snapshot's endpoints need: no caller sees one before that */
export function openCatalog(db: Database, prepare: (snapshot: CatalogSnapshot) => Promise<void>): Catalog {
  let current = snapshotOf([])
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
      const loaded = await loadSnapshot(db)
      await prepare(loaded)
      // A slower, older load never replaces a newer one. One that is overtaken is still shown: its caller counts on what it read.
      if (turn < shown) return
      shown = turn
      current = loaded
    },
    recordingOf: openVoiceRecordings(db),
  }
}

async function loadSnapshot(db: Database): Promise<CatalogSnapshot> {
  const [rows, workflows] = await Promise.all([
    db.prisma.voiceEndpoint.findMany({
      orderBy: { slug: 'asc' },
      include: { voices: { orderBy: { position: 'asc' }, omit: { referenceAudio: true } } },
    }),
    db.prisma.workflow.findMany({ orderBy: { slug: 'asc' } }),
  ])
  return snapshotOf(
    rows.map((row) => ({
      ...row,
      inputs: row.inputs as JsonSchema,
      engine: row.engine as VoiceEndpoint['engine'],
      responseFields: row.responseFields as ResponseField[],
      audio: row.audio as AudioBlock | null,
      captions: row.captions as CaptionsBlock | null,
      openai: row.openai as OpenaiBlock | null,
    })),
    workflows.map((row) => ({
      ...row,
      inputs: row.inputs as JsonSchema,
      engine: row.engine as unknown as WorkflowEngine,
    })),
  )
}

function snapshotOf(all: readonly VoiceEndpoint[], workflows: readonly Workflow[] = []): CatalogSnapshot {
  const open = all.filter(isPublic)
  const entries = open.map(catalogEntry)
  const catalogVersion = versionOf(entries)
  return {
    catalogVersion,
    endpoints: new Map(all.map((endpoint) => [endpoint.slug, endpoint])),
    open,
    validators: new Map(all.map((endpoint) => [endpoint.slug, compileInputs(endpoint.inputs)])),
    workflows: new Map(workflows.map((workflow) => [workflow.slug, workflow])),
    workflowValidators: new Map(workflows.map((workflow) => [workflow.slug, compileInputs(workflow.inputs)])),
    whole: document({ catalog_version: catalogVersion, endpoints: entries }),
    entries: new Map(entries.map((entry) => [entry.slug, document(entry)])),
  }
}

function document(content: unknown): PublicDocument {
  const body = Buffer.from(JSON.stringify(content))
  // Of the very bytes: two bodies that differ in the order of keys alone must not share a strong tag.
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` }
}
