import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ask } from '../../api/ask.ts'
import { at } from '../../api/base.ts'
import { useAction } from '../../api/use-action.ts'
import { useQuery } from '../../api/use-query.ts'
import { type ApplyFileMutation, applyFile, endpointSource, tryEngine } from '../../operations.ts'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Crumb } from '../../parts/page.tsx'
import { OperatorScreen } from '../operator-screen.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { Changes } from './changes.tsx'
import { EngineFindings, type Tried } from './engine-check.tsx'
import { useFileDraft } from './use-file-draft.ts'
import { lineOf, YamlEditor } from './yaml-editor.tsx'

/** In the place of a slug, which never begins with it. */
export const NEW = '~new'

type Applied = Extract<ApplyFileMutation['applyEndpoints'], { __typename: 'ApplyEndpointsSuccess' }>
interface Checked {
  readonly source: string
  /** What it was compared with. */
  readonly stored: string
  readonly changes: Applied['changes']
}

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
  return (
    <OperatorScreen
      title={slug === NEW ? 'New endpoint' : slug}
      tab="endpoints"
      crumb={<Crumb href={at('/operator/endpoints')}>Endpoints</Crumb>}
    >
      {slug === NEW ? (
        <Editor slug={null} stored={TEMPLATE} onApplied={() => {}} />
      ) : (
        <Load query={file} skeleton={<SkeletonRows rows={8} />}>
          {({ endpointFile }) => <Editor slug={slug} stored={endpointFile} onApplied={file.reload} />}
        </Load>
      )}
    </OperatorScreen>
  )
}

/** A workflow has a server of its own kind: what is asked for is a sentence. */
const hasEngine = (source: string): boolean => source.startsWith('endpoints:')

interface EditorProps {
  /** Null: it is not stored yet. */
  readonly slug: string | null
  readonly stored: string
  readonly onApplied: () => void
}

function Editor({ slug, stored, onApplied }: EditorProps) {
  const { route } = useLocation()
  const file = useFileDraft(slug ?? NEW, stored)
  const { source } = file
  const [checked, setChecked] = useState<Checked | null>(null)
  const [isApplying, setApplying] = useState(false)
  const check = useAction(async () => {
    setChecked(null)
    const { applyEndpoints } = await ask(applyFile, { source, dryRun: true })
    setChecked({ source, stored, changes: applyEndpoints.changes })
  })
  const [tried, setTried] = useState<Tried | null>(null)
  const engine = useAction(async () => {
    setTried(null)
    setTried((await ask(tryEngine, { slug: slug ?? '' })).checkEngine)
  })
  const onCheck = async (): Promise<void> => {
    await check.run()
    // What was found stands above the file, which may be long.
    window.scrollTo({ top: 0 })
  }
  const errors = (check.failure?.details ?? []).map((detail) => ({ ...detail, line: lineOf(detail.path) }))
  const isChecked = checked?.source === source && checked.stored === stored
  const hasChanges = isChecked && checked.changes.some(({ isNew, fields }) => isNew || fields.length > 0)
  const onDone = (slugs: readonly string[]): void => {
    setChecked(null)
    file.applied()
    onApplied()
    if (slugs[0] !== undefined) route(at(`/operator/endpoints/${slugs[0]}`))
  }
  return (
    <>
      <div class="row editor-head">
        <span class="faint small-text grow">
          Keys of servers stay in environment variables. A reference voice needs its recording again, as a data: URL.
        </span>
        <button type="button" class="button" disabled={!file.isUnsaved} onClick={file.undo}>
          Undo all
        </button>
        {slug !== null && hasEngine(stored) && (
          <button type="button" class="button" disabled={engine.isRunning} onClick={() => void engine.run()}>
            {engine.isRunning ? 'Asking the engine…' : 'Check engine'}
          </button>
        )}
        <button type="button" class="button" disabled={check.isRunning} onClick={() => void onCheck()}>
          Review changes
        </button>
        <button type="button" class="button primary" disabled={!hasChanges} onClick={() => setApplying(true)}>
          Apply
        </button>
      </div>
      {file.hasMoved && (
        <p class="notice" role="status">
          <Icon name="alert" /> Another version was applied since you began. Yours would take its place: Review changes
          shows what differs, Undo all takes the stored one.
        </p>
      )}
      {engine.failure !== null && <Failure failure={engine.failure} onRetry={() => engine.run()} />}
      {tried !== null && <EngineFindings tried={tried} />}
      {check.failure !== null && <Failure failure={check.failure} />}
      {isChecked && <Changes changes={checked.changes} />}
      <YamlEditor
        value={source}
        badLines={new Set(errors.flatMap(({ line }) => line ?? []))}
        onChange={(value) => {
          file.change(value)
          check.reset()
        }}
      />
      {isApplying && isChecked && (
        <ApplyDialog source={source} changes={checked.changes} onDone={onDone} onClose={() => setApplying(false)} />
      )}
    </>
  )
}
