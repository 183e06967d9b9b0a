import { requireOperator } from '../../access/require.ts'
import type { Voice, VoiceEndpoint, Workflow } from '../../context/catalog-snapshot.ts'
import type { Context } from '../../context/context.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { EndpointSpec, WorkflowSpec } from './endpoint-file.ts'
import { shownEngine } from './hidden-password.ts'

const UNSAID: Readonly<Record<string, unknown>> = {
  markup: 'none',
  code: 'read',
  library_voices: false,
  loudness: 'normal',
  text_normalization: 'auto',
}
const RECORDING = '"a recording"'

interface FileEntry {
  readonly section: 'endpoints' | 'workflows'
  readonly entry: Readonly<Record<string, unknown>>
}

type Shown =
  | { readonly kind: 'endpoint'; readonly endpoint: VoiceEndpoint }
  | { readonly kind: 'workflow'; readonly workflow: Workflow }

export interface EntryChange {
  readonly slug: string
  readonly kind: 'endpoint' | 'workflow'
  readonly isNew: boolean
  readonly fields: readonly FieldChange[]
}

interface Specs {
  readonly endpoints: readonly EndpointSpec[]
  readonly workflows: readonly WorkflowSpec[]
}

type Entry = FileEntry['entry']

export interface FieldChange {
  /** Path in the entry, such as `engine.base_url` or `voices.aria.name`. */
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** Without recordings: `apply` needs the files again. */
export const writeEndpoint = (shown: Shown): FileEntry =>
  shown.kind === 'endpoint'
    ? { section: 'endpoints', entry: endpointEntry(shown.endpoint) }
    : { section: 'workflows', entry: workflowEntry(shown.workflow) }

const endpointEntry = (endpoint: VoiceEndpoint) => ({
  slug: endpoint.slug,
  name: endpoint.name,
  ...(endpoint.description !== null && { description: endpoint.description }),
  published: endpoint.published,
  required_scope: endpoint.requiredScope,
  voice_input: endpoint.voiceInput,
  inputs: endpoint.inputs,
  response_fields: endpoint.responseFields,
  engine: endpoint.engine,
  time_limit_seconds: endpoint.timeLimitSeconds,
  credits_per_character: endpoint.creditsPerCharacter,
  voices: endpoint.voices.map(voiceEntry),
  ...(endpoint.audio && { audio: endpoint.audio }),
  ...(endpoint.captions && { captions: endpoint.captions }),
  ...(endpoint.openai && { openai: endpoint.openai }),
  ...(endpoint.libraryVoices === true && { library_voices: true }),
  ...(endpoint.markup != null && { markup: endpoint.markup }),
  ...(endpoint.code != null && { code: endpoint.code }),
  ...(endpoint.loudness != null && { loudness: endpoint.loudness }),
  ...(endpoint.textNormalization != null && { text_normalization: endpoint.textNormalization }),
})

const voiceEntry = ({ engineVoice, referenceText, ...voice }: Voice) => ({
  slug: voice.slug,
  name: voice.name,
  description: voice.description,
  kind: voice.kind,
  ...(engineVoice !== null && { engine_voice: engineVoice }),
  ...(referenceText !== null && { reference_text: referenceText }),
  ...(voice.language != null && { language: voice.language }),
})

const workflowEntry = (workflow: Workflow) => ({
  slug: workflow.slug,
  name: workflow.name,
  ...(workflow.description !== null && { description: workflow.description }),
  inputs: workflow.inputs,
  engine: workflow.engine,
  time_limit_seconds: workflow.timeLimitSeconds,
  credits_per_job: workflow.creditsPerJob,
})

/**
 * Any endpoint or else the workflow of that slug, for the operator.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export function showEndpoint(ctx: Context, { slug }: { readonly slug: string }): Shown {
  requireOperator(ctx)
  const { endpoints, workflows } = ctx.catalog.current
  const endpoint = endpoints.get(slug)
  if (endpoint !== undefined) return { kind: 'endpoint', endpoint }
  const workflow = workflows.get(slug)
  if (workflow !== undefined) return { kind: 'workflow', workflow }
  throw new ServiceError('NOT_FOUND', `No endpoint or workflow with the slug "${slug}".`)
}

/**
 * An endpoint or workflow as YAML of an endpoint file, without passwords, keys and recordings.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND
 */
export async function endpointFile(ctx: Context, input: { readonly slug: string }): Promise<string> {
  const { section, entry } = writeEndpoint(showEndpoint(ctx, input))
  const engine = entry.engine as Readonly<Record<string, unknown>>
  const { stringify } = await import('yaml')
  return stringify({ [section]: [{ ...entry, engine: shownEngine(engine) }] })
}

/** An endpoint that is not applied yet, as a file. */
export async function proposedFile(endpoint: Readonly<Record<string, unknown>>): Promise<string> {
  const { stringify } = await import('yaml')
  return stringify({ endpoints: [endpoint] }, { lineWidth: 0 })
}

/** Compares the entries of a file with the current catalog. */
export function changesOf({ catalog }: Pick<Context, 'catalog'>, specs: Specs): readonly EntryChange[] {
  const { endpoints, workflows } = catalog.current
  return [
    ...specs.endpoints.map((spec) => {
      const endpoint = endpoints.get(spec.slug)
      return changeOf('endpoint', spec, endpoint && writeEndpoint({ kind: 'endpoint', endpoint }))
    }),
    ...specs.workflows.map((spec) => {
      const workflow = workflows.get(spec.slug)
      return changeOf('workflow', spec, workflow && writeEndpoint({ kind: 'workflow', workflow }))
    }),
  ]
}

function changeOf(
  kind: EntryChange['kind'],
  spec: EndpointSpec | WorkflowSpec,
  known: FileEntry | undefined,
): EntryChange {
  const entries = Object.entries(spec).filter(
    ([name, value]) => !(Object.hasOwn(UNSAID, name) && UNSAID[name] === value),
  )
  const fields = compareEntries(known?.entry ?? null, Object.fromEntries(entries))
  return { slug: spec.slug, kind, isNew: known === undefined, fields: fields.filter(({ path }) => path !== 'slug') }
}

/** Differences by path; absent equals null. */
function compareEntries(before: Entry | null, after: Entry): readonly FieldChange[] {
  const [old, made] = [flattened(before ?? {}), flattened(after)]
  const paths = [...new Set([...old.keys(), ...made.keys()])].sort()
  return paths.flatMap((path) => {
    const change = { path, before: old.get(path) ?? null, after: made.get(path) ?? null }
    return change.before === change.after ? [] : [change]
  })
}

function flattened(value: unknown, path = '', found = new Map<string, string>()): Map<string, string> {
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`)
  if (path === 'voices' && Array.isArray(value)) {
    found.set('voices (order)', JSON.stringify(value.map(({ slug }) => slug)))
    for (const { slug, ...voice } of value) flattened(voice, below(slug), found)
  } else if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    for (const [name, part] of Object.entries(value)) flattened(part, below(name), found)
  } else if (value !== null && value !== undefined) {
    found.set(path, path.endsWith('.reference_audio') ? RECORDING : JSON.stringify(value))
  }
  return found
}
