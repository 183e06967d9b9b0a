import type { Context } from '../../context/context.ts'
import { compareEntries, type FieldChange } from './compare-entries.ts'
import type { EndpointSpec } from './endpoint-file.ts'
import type { WorkflowSpec } from './workflow-spec.ts'
import { type FileEntry, writeEndpoint } from './write-endpoint.ts'

export interface EntryChange {
  readonly slug: string
  readonly kind: 'endpoint' | 'workflow'
  readonly isNew: boolean
  readonly fields: readonly FieldChange[]
}

const UNSAID: Readonly<Record<string, unknown>> = { markup: 'none', library_voices: false, loudness: 'normal' }

interface Specs {
  readonly endpoints: readonly EndpointSpec[]
  readonly workflows: readonly WorkflowSpec[]
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
