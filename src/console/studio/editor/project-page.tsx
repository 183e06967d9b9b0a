import { useEffect, useMemo, useState } from 'preact/hooks'
import { ApiError, asApiError } from '../../api/api-error.ts'
import { at } from '../../api/base.ts'
import { comebacks } from '../../api/follow.ts'
import { announce } from '../../parts/announce.ts'
import { Failure } from '../../parts/failure.tsx'
import { count } from '../../parts/format.ts'
import { SkeletonRows } from '../../parts/load.tsx'
import { Crumb, Page } from '../../parts/page.tsx'
import { takesText } from '../../shell/shortcuts.ts'
import { unsaved } from '../../shell/unsaved.ts'
import { ChapterList } from './chapter-list.tsx'
import { ChapterView } from './chapter-view.tsx'
import { ConflictBanner, RescueBanner } from './conflict.tsx'
import { type Opened, type Studio, StudioProvider } from './context.ts'
import { useDroppedFile } from './dropped-file.ts'
import { Editor, lastLeft } from './editor.ts'
import { EditorActions } from './editor-actions.tsx'
import { type Endpoint, useEndpoints } from './endpoints.ts'
import { Hearing } from './hearing.ts'
import { HearingBar } from './hearing-bar.tsx'
import { loadProject } from './open-project.ts'
import { OpenedDialog } from './opened-dialog.tsx'
import { goTo } from './paragraph-keys.ts'
import { useColleagues } from './use-colleagues.ts'
import '../studio.css'

const LIST = <Crumb href={at('/studio')}>Studio</Crumb>

/** A long text, which is written, spoken and heard here. */
export function ProjectPage({ id = '' }: { readonly id?: string }) {
  const { editor, failure, reload } = useEditor(id)
  const { endpoints, reload: signAgain } = useEndpoints()
  if (editor === null || endpoints === null)
    return (
      <Page title="Project" crumb={LIST}>
        {failure === null ? <SkeletonRows /> : <Failure failure={failure} onRetry={reload} isAskedAgain />}
        {failure?.code === 'NOT_FOUND' && <RescueBanner id={id} />}
      </Page>
    )
  return <EditorPage key={editor.id} {...{ editor, endpoints }} onExpired={signAgain} />
}

function useEditor(id: string) {
  const [editor, setEditor] = useState<Editor | null>(null)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isLatest = true
    let isLoading = false
    let own: Editor | null = null
    setEditor(null)
    const load = async (): Promise<void> => {
      isLoading = true
      try {
        await lastLeft
        const opened = await loadProject(id)
        if (!isLatest) return
        own = new Editor(opened)
        own.begin()
        own.showChapter(new URLSearchParams(location.search).get('chapter'))
        setFailure(null)
        setEditor(own)
      } catch (error) {
        if (isLatest) setFailure(asApiError(error))
      } finally {
        isLoading = false
      }
    }
    // Now, and whenever the service is back; a project that is open saves by itself then.
    const stop = comebacks.subscribe(() => {
      if (own === null && !isLoading) void load()
    })
    return () => {
      isLatest = false
      stop()
      own?.end()
    }
  }, [id, round])
  return { editor: editor?.id === id ? editor : null, failure, reload: () => setRound(round + 1) }
}

interface EditorPageProps {
  readonly editor: Editor
  readonly endpoints: readonly Endpoint[]
  readonly onExpired: () => void
}

function EditorPage({ editor, endpoints, onExpired }: EditorPageProps) {
  const [opened, show] = useState<Opened | null>(null)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const latest = useMemo(() => ({ endpoints }), [])
  latest.endpoints = endpoints
  const studio = useMemo((): Studio => {
    const speak = (keys: readonly string[]): void => void speakNow(editor, keys).then(setFailure)
    return { editor, hearing: new Hearing(editor), endpoints: () => latest.endpoints, show, speak }
  }, [editor])
  useKeys(studio)
  useDroppedFile(studio)
  useColleagues(editor)
  useEffect(() => {
    studio.hearing.begin()
    return () => studio.hearing.end()
  }, [studio])
  useUnsaved(editor)
  useAddressOfChapter(editor)
  const saveFailure = editor.isSaved.value ? null : editor.failure.value
  return (
    <StudioProvider value={studio}>
      <Page title={editor.project.value.name} crumb={LIST} actions={<EditorActions />}>
        <ConflictBanner />
        {saveFailure !== null && editor.conflict.value === null && (
          <Failure failure={saveFailure} onRetry={() => void editor.flush().catch(() => {})} />
        )}
        {failure !== null && <Failure failure={failure} />}
        <div class="studio">
          <ChapterList />
          <ChapterView />
        </div>
        <HearingBar />
        {opened !== null && <OpenedDialog {...{ opened, endpoints, onExpired, show }} />}
      </Page>
    </StudioProvider>
  )
}

/** Said to who signs out. */
function useUnsaved({ isSaved, project }: Editor): void {
  const { name } = project.value
  const sentence = isSaved.value ? null : `The last changes of “${name}” are not saved yet.`
  useEffect(() => {
    unsaved.value = sentence
    return () => {
      unsaved.value = null
    }
  }, [sentence])
}

/** The shown chapter is in the address: Back and a reload come to it. */
function useAddressOfChapter({ chapterKey, project }: Editor): void {
  const key = chapterKey.value
  const isFirst = key === project.value.chapters[0]?.key
  useEffect(() => {
    const address = new URL(location.href)
    if (isFirst) address.searchParams.delete('chapter')
    else address.searchParams.set('chapter', key)
    if (address.href !== location.href) history.replaceState(history.state, '', address)
  }, [key, isFirst])
}

/** Null: all of it was taken. */
async function speakNow(editor: Editor, keys: readonly string[]): Promise<ApiError | null> {
  try {
    await editor.flush()
  } catch (error) {
    announce('Nothing is spoken.')
    return asApiError(error)
  }
  const { begun, refused, failure } = await editor.takes.speak(keys)
  if (begun === 0) announce('Nothing is spoken.')
  const [first] = refused
  if (failure === null)
    return first === undefined ? null : asApiError(new Error(refusedInWords(refused.length, first.message)))
  if (begun === 0) return failure
  return new ApiError(`${begunInWords(begun, keys.length)} ${failure.message}`, { ...failure })
}

const begunInWords = (begun: number, all: number): string =>
  `Of ${count(all)} paragraphs ${count(begun)} are being spoken, and the others were not taken.`

const refusedInWords = (times: number, message: string): string =>
  times === 1 ? `A paragraph was not taken: ${message}` : `${times} paragraphs were not taken: ${message}`

/** Undo and Redo from anywhere, and Space where it writes nothing and presses nothing. */
function useKeys({ editor, hearing }: Studio): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
      const act = actOf(event, editor, hearing)
      if (act === null) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [editor])
}

function actOf(event: KeyboardEvent, editor: Editor, hearing: Hearing): (() => void) | null {
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'z')
    return () => goTo(editor, shiftKey ? editor.redo() : editor.undo())
  if (ctrlKey && !altKey && key.toLowerCase() === 'y') return () => goTo(editor, editor.redo())
  const focused = document.activeElement
  const isTaken = takesText(focused) || focused?.closest('button, a, summary') !== null
  return key === ' ' && !isTaken && hearing.key.peek() !== null ? () => hearing.toggle() : null
}
