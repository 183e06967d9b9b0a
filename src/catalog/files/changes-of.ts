import type { Context } from '../../context/context.ts'
import { compareEntries, type FieldChange } from './compare-entries.ts'
import type { EndpointSpec } from './endpoint-file.ts'
import type { WorkflowSpec } from './workflow-spec.ts'
import { type FileEntry, writeEndpoint } from './write-endpoint.ts'

/** What a file changes of one endpoint or workflow. */
export interface EntryChange {
  readonly slug: string
  readonly kind: 'endpoint' | 'workflow'
  /** Whether there is none of that slug yet. */
  readonly isNew: boolean
  /** By path; none where it stays as it is. */
  readonly fields: readonly FieldChange[]
}

/** Values that are those of a field that is absent. */
const UNSAID: Readonly<Record<string, unknown>> = { markup: 'none', library_voices: false, loudness: 'normal' }

interface Specs {
  readonly endpoints: readonly EndpointSpec[]
  readonly workflows: readonly WorkflowSpec[]
}

/** What the entries of a file differ in from the catalog as it is. */
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
  // What says nothing is left out of a file that is written.
  const entries = Object.entries(spec).filter(
    ([name, value]) => !(Object.hasOwn(UNSAID, name) && UNSAID[name] === value),
  )
  const fields = compareEntries(known?.entry ?? null, Object.fromEntries(entries))
  return { slug: spec.slug, kind, isNew: known === undefined, fields: fields.filter(({ path }) => path !== 'slug') }
}
