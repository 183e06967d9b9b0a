import { at } from '../../api/base.ts'
import { useQuery } from '../../api/use-query.ts'
import { endpointSource } from '../../operations.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Crumb } from '../../parts/page.tsx'
import { OperatorScreen } from '../operator-screen.tsx'
import { DeleteEndpoint } from './delete-endpoint.tsx'
import { FileEditor, hasEngine } from './file-editor.tsx'
import { NEW } from './use-file-draft.ts'

const TEMPLATE = `endpoints:
  - slug: my-voice
    name: My voice
    published: false
    inputs:
      type: object
      additionalProperties: false
      required: [text, voice]
      properties:
        text: {type: string, minLength: 1, maxLength: 5000, pattern: '\\S'}
        voice: {type: string}
    engine: {kind: espeak}
    credits_per_character: 1
    voices:
      - {slug: clara, name: Clara, engine_voice: en-us+f1}
`

/** An endpoint or a workflow as its file: looked through by the service before it is applied. */
export function EndpointEditorPage({ slug }: { slug: string }) {
  const file = useQuery(endpointSource, slug === NEW ? null : { slug })
  const actions = file.data !== null && <DeleteEndpoint slug={slug} isWorkflow={!hasEngine(file.data.endpointFile)} />
  return (
    <OperatorScreen
      title={slug === NEW ? 'New endpoint' : slug}
      tab="endpoints"
      actions={actions}
      crumb={<Crumb href={at('/operator/endpoints')}>Endpoints</Crumb>}
    >
      {slug === NEW ? (
        <FileEditor slug={null} stored={TEMPLATE} onApplied={() => {}} />
      ) : (
        <Load query={file} skeleton={<SkeletonRows rows={8} />}>
          {({ endpointFile }) => <FileEditor slug={slug} stored={endpointFile} onApplied={file.reload} />}
        </Load>
      )}
    </OperatorScreen>
  )
}
