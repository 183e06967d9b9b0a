import { useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { useAction } from '../../api/use-action.ts'
import { useQuery } from '../../api/use-query.ts'
import { type ProjectVersionsQuery, projectVersion, projectVersions, restoreProjectVersion } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { count } from '../../parts/format.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Moment } from '../../parts/moment.tsx'
import { toast } from '../../parts/toast.tsx'
import { allParagraphs } from '../model/project.ts'
import { useStudio } from './context.ts'
import { loadProject } from './open-project.ts'
import { TextView } from './text-view.tsx'

type Version = NonNullable<ProjectVersionsQuery['project']>['versions'][number]

/** Shows earlier versions of the project, and brings them back. */
export function VersionsDialog({ onClose }: { onClose: () => void }) {
  const { editor } = useStudio()
  const list = useQuery(projectVersions, { id: editor.id })
  const [shown, setShown] = useState<Version | null>(null)
  if (shown !== null) return <VersionDialog version={shown} onBack={() => setShown(null)} onClose={onClose} />
  return (
    <Dialog title="Earlier versions" onClose={onClose}>
      <Load query={list} skeleton={<SkeletonRows rows={3} />}>
        {({ project }) =>
          !project || project.versions.length === 0 ? (
            <p class="muted">There is none yet: each save after a while of writing leaves one.</p>
          ) : (
            <ul class="version-list">
              {project.versions.map((version) => (
                <li key={version.revision} class="row">
                  <span class="grow">
                    <Moment at={version.savedAt} /> <SavedBy name={version.savedBy} />
                    <span class="faint small-text"> · {count(version.characters)} characters</span>
                  </span>
                  <button type="button" class="button small" onClick={() => setShown(version)}>
                    Look
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Load>
    </Dialog>
  )
}

interface VersionDialogProps {
  readonly version: Version
  readonly onBack: () => void
  readonly onClose: () => void
}

function VersionDialog({ version: { revision, savedAt, savedBy }, onBack, onClose }: VersionDialogProps) {
  const { editor } = useStudio()
  const query = useQuery(projectVersion, { id: editor.id, revision })
  const restore = useAction(async () => {
    await editor.flush()
    const { restoreProjectVersion: answer } = await ask(restoreProjectVersion, {
      ...{ id: editor.id, revision: editor.revision, version: revision },
    })
    if (answer.__typename !== 'Project') throw new Error('Somebody has just saved this project: look at it first.')
    editor.adopt(await loadProject(editor.id))
    toast('The earlier version is back. Undo brings the later one.')
    onClose()
  })
  const beside = new Map(allParagraphs(editor.project.peek()).map(({ key, text }) => [key, text]))
  const foot = <VersionButtons isOff={restore.isOff} onBack={onBack} onRestore={() => void restore.run()} />
  return (
    <Dialog title="An earlier version" {...{ onClose, foot }} isWide>
      <div class="stack">
        {restore.failure !== null && <Failure failure={restore.failure} />}
        <p>
          Saved <Moment at={savedAt} /> <SavedBy name={savedBy} />
        </p>
        <Load query={query} skeleton={<SkeletonRows rows={4} />}>
          {({ project }) => {
            const chapters = (project?.versions[0]?.chapters ?? []).map(({ title, paragraphs }) => ({
              ...{ title, paragraphs: paragraphs ?? [] },
            }))
            return <TextView chapters={chapters} beside={beside} />
          }}
        </Load>
      </div>
    </Dialog>
  )
}

const SavedBy = ({ name }: { name: string | null | undefined }) =>
  name ? (
    <span>
      by <bdi>{name}</bdi>
    </span>
  ) : null

interface VersionButtonsProps {
  readonly isOff: boolean
  readonly onBack: () => void
  readonly onRestore: () => void
}

const VersionButtons = ({ isOff, onBack, onRestore }: VersionButtonsProps) => (
  <>
    <button type="button" class="button" onClick={onBack}>
      All versions
    </button>
    <button type="button" class="button primary" aria-disabled={isOff} onClick={onRestore}>
      Bring this one back
    </button>
  </>
)
