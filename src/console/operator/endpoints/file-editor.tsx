import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { Action } from '../../api/use-action.ts'
import { Failure } from '../../parts/failure.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ApplyDialog } from './apply-dialog.tsx'
import { Changes } from './changes.tsx'
import { EngineFindings, useEngineCheck } from './engine-check.tsx'
import { fileOf } from './file-of.ts'
import { type EditedFile, NEW, useFileDraft } from './use-file-draft.ts'
import { type Review, useReview } from './use-review.ts'
import { lineOf, YamlEditor } from './yaml-editor.tsx'

interface FileEditorProps {
  /** Null: it is not stored yet. */
  readonly slug: string | null
  readonly stored: string
  readonly onApplied: () => void
}

/** The text of a file, with what the service says of it above. */
export function FileEditor({ slug, stored, onApplied }: FileEditorProps) {
  const { route } = useLocation()
  const file = useFileDraft(slug ?? NEW, stored)
  const review = useReview(file.source, stored)
  const [isApplying, setApplying] = useState(false)
  const engine = useEngineCheck(slug ?? '')
  const { changes, check, warnings } = review
  const onDone = (slugs: readonly string[]): void => {
    review.forget()
    file.applied()
    onApplied()
    if (slugs[0] !== undefined) route(fileOf(slugs[0]))
  }
  const onChange = (source: string): void => {
    file.change(source)
    check.reset()
  }
  const engineCheck = slug !== null && hasEngine(stored) ? engine.check : null
  return (
    <>
      <EditorHead file={file} review={review} engineCheck={engineCheck} onApply={() => setApplying(true)} />
      {file.hasMoved && <MovedNotice />}
      {engine.check.failure !== null && <Failure failure={engine.check.failure} onRetry={() => engine.check.run()} />}
      {engine.tried !== null && <EngineFindings tried={engine.tried} />}
      {check.failure !== null && <Failure failure={check.failure} />}
      {warnings.map((warning) => (
        <p key={warning} class="notice warn">
          <Icon name="alert" /> {warning}
        </p>
      ))}
      {changes !== null && <Changes changes={changes} />}
      <YamlEditor value={file.source} badLines={badLinesOf(review)} onChange={onChange} />
      {isApplying && changes !== null && (
        <ApplyDialog source={file.source} changes={changes} onDone={onDone} onClose={() => setApplying(false)} />
      )}
    </>
  )
}

/** A workflow has a server of its own kind: what is asked for is a sentence. */
export const hasEngine = (source: string): boolean => source.startsWith('endpoints:')

const badLinesOf = ({ check }: Review): ReadonlySet<number> =>
  new Set((check.failure?.details ?? []).flatMap(({ path }) => lineOf(path) ?? []))

interface EditorHeadProps {
  readonly file: EditedFile
  readonly review: Review
  /** Null: there is no engine to check. */
  readonly engineCheck: Action<void> | null
  readonly onApply: () => void
}

function EditorHead({ file, review: { check, changes }, engineCheck, onApply }: EditorHeadProps) {
  const hasChanges = changes?.some(({ isNew, fields }) => isNew || fields.length > 0) ?? false
  const onCheck = async (): Promise<void> => {
    await check.run()
    // The findings stand above the file, which may be long.
    window.scrollTo({ top: 0 })
  }
  return (
    <div class="row editor-head">
      <span class="faint small-text grow">
        Keys of servers stay in environment variables, or are in it encrypted. A reference voice needs its recording
        again, as a data: URL.
      </span>
      <button type="button" class="button" aria-disabled={!file.isUnsaved} onClick={file.undo}>
        Undo all
      </button>
      {engineCheck !== null && (
        <button type="button" class="button" aria-disabled={engineCheck.isOff} onClick={() => void engineCheck.run()}>
          {engineCheck.isRunning ? 'Asking the engine…' : 'Check engine'}
        </button>
      )}
      <button type="button" class="button" aria-disabled={check.isOff} onClick={() => void onCheck()}>
        Review changes
      </button>
      <button type="button" class="button primary" aria-disabled={!hasChanges} onClick={onApply}>
        Apply
      </button>
    </div>
  )
}

const MovedNotice = () => (
  <p class="notice" role="status">
    <Icon name="alert" /> Another version was applied since you began. Yours would replace it: Review changes shows what
    differs, Undo all restores the stored one.
  </p>
)
