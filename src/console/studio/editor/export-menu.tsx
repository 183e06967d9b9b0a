import { useState } from 'preact/hooks'
import { asApiError } from '../../api/api-error.ts'
import { ask } from '../../api/ask.ts'
import { ownMedia } from '../../api/base.ts'
import { Drop } from '../../menus/drop.tsx'
import { type AudioFormat, type CaptionFormat, projectCaptionFile, projectFile } from '../../operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { count, duration } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { placeOf } from '../model/edit.ts'
import { useStudio } from './context.ts'

interface Wanted {
  readonly text: string
  readonly audio?: AudioFormat
  readonly by?: 'PROJECT' | 'CHAPTER'
  readonly captions?: CaptionFormat
}

const AUDIO: readonly Wanted[] = [
  { text: 'MP3', audio: 'MP3' },
  { text: 'M4B, an audiobook with chapters', audio: 'M4B' },
  { text: 'WAV', audio: 'WAV' },
  { text: 'FLAC', audio: 'FLAC' },
  { text: 'Opus', audio: 'OPUS' },
  { text: 'A file of each chapter (ZIP of MP3)', audio: 'MP3', by: 'CHAPTER' },
]
const CAPTIONS: readonly Wanted[] = [
  { text: 'Captions, SRT', captions: 'SRT' },
  { text: 'Captions, VTT', captions: 'VTT' },
]

interface Made {
  readonly url: string
  readonly durationMs: number | null
  readonly missing: readonly string[]
  readonly outdated: readonly string[]
}

/** The whole as a file. */
export function ExportMenu() {
  const { editor } = useStudio()
  const [wanted, setWanted] = useState<Wanted | null>(null)
  const [made, setMade] = useState<Made | null>(null)
  const [failure, setFailure] = useState<ReturnType<typeof asApiError> | null>(null)
  const make = async (what: Wanted): Promise<void> => {
    setWanted(what)
    setMade(null)
    setFailure(null)
    try {
      await editor.flush()
      setMade(await madeOf(editor.id, what))
    } catch (error) {
      setFailure(asApiError(error))
    }
  }
  return (
    <>
      <Drop icon="download" text="Export" isWide>
        {[...AUDIO, ...CAPTIONS].map((one) => (
          <button key={one.text} type="button" class="menu-item" onClick={() => void make(one)}>
            {one.text}
          </button>
        ))}
      </Drop>
      {wanted !== null && (
        <Dialog title={`Export: ${wanted.text}`} onClose={() => setWanted(null)}>
          <div class="stack" role="status">
            {failure !== null && <Failure failure={failure} onRetry={() => void make(wanted)} />}
            {made === null && failure === null && <p class="muted">It is being put together…</p>}
            {made !== null && (
              <MadeFile made={made} name={nameOf(editor.project.peek().name)} onLeave={() => setWanted(null)} />
            )}
          </div>
        </Dialog>
      )}
    </>
  )
}

async function madeOf(id: string, { audio, by = 'PROJECT', captions }: Wanted): Promise<Made> {
  if (captions !== undefined) {
    const { projectCaptions: file } = await ask(projectCaptionFile, { id, format: captions })
    return { url: String(file.url), durationMs: null, missing: file.missingKeys, outdated: file.outdatedKeys }
  }
  const { projectExport: file } = await ask(projectFile, { id, format: audio ?? 'MP3', by })
  const { durationMs, missingKeys: missing, outdatedKeys: outdated } = file
  return { url: String(file.url), durationMs: durationMs ?? null, missing, outdated }
}

interface MadeFileProps {
  readonly made: Made
  readonly name: string
  readonly onLeave: () => void
}

function MadeFile({ made: { url, durationMs, missing, outdated }, name, onLeave }: MadeFileProps) {
  return (
    <>
      <Note
        keys={missing}
        one="paragraph is not spoken and left out."
        more="paragraphs are not spoken and left out."
        onLeave={onLeave}
      />
      <Note
        keys={outdated}
        one="paragraph has changed since it was spoken: its earlier speech is in the file."
        more="paragraphs have changed since they were spoken: their earlier speech is in the file."
        onLeave={onLeave}
      />
      <p>
        <a class="button primary" href={ownMedia(url)} download={name}>
          <Icon name="download" /> Download
        </a>{' '}
        {durationMs !== null && <span class="muted">{duration(durationMs)}</span>}
      </p>
    </>
  )
}

interface NoteProps {
  readonly keys: readonly string[]
  readonly one: string
  readonly more: string
  readonly onLeave: () => void
}

/** Says how many paragraphs the file lacks, and leads to the first of them. */
function Note({ keys, one, more, onLeave }: NoteProps) {
  const { editor } = useStudio()
  const [first] = keys
  if (first === undefined) return null
  const onShow = (): void => {
    const project = editor.project.peek()
    const place = placeOf(project, first)
    const chapter = place && project.chapters[place.chapter]
    if (!chapter) return
    onLeave()
    editor.chapterKey.value = chapter.key
    editor.active.value = first
    editor.focus.value = { key: first, caret: 0 }
  }
  return (
    <div class="notice warn">
      <Icon name="alert" />
      <span class="notice-body">
        {count(keys.length)} {keys.length === 1 ? one : more}
      </span>
      <button type="button" class="button small" onClick={onShow}>
        Show the first
      </button>
    </div>
  )
}

/** As a file may be called everywhere. */
const nameOf = (name: string): string => name.replace(/[\\/:*?"<>|]+/g, ' ').trim() || 'project'
