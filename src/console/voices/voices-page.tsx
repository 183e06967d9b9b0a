import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { isOperator } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { useFreshUrls } from '../api/use-fresh-urls.ts'
import { useQuery } from '../api/use-query.ts'
import { deleteVoice, type LibraryQuery, library, renameVoice } from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Failure } from '../parts/failure.tsx'
import { TextField } from '../parts/field.tsx'
import { isolated } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { toast } from '../parts/toast.tsx'
import { useFile } from '../shell/use-file.ts'
import type { RecordDialog, Spoken } from './record/record-dialog.tsx'
import { UploadDialog } from './upload-dialog.tsx'
import { type LibraryVoice, type VoiceAct, VoicesTable } from './voices-table.tsx'
import './voices.css'

type Adding = { readonly by: 'microphone' } | { readonly by: 'upload'; readonly recording?: Spoken }
type Asked = { readonly act: VoiceAct; readonly voice: LibraryVoice }

/** The account's own voices, made of recordings. */
export function VoicesPage() {
  const [added, setAdded] = useState<Adding | null>(null)
  const [asked, setAsked] = useState<Asked | null>(null)
  const list = useQuery(library, {})
  useFreshUrls(list.data, list.reload)
  const close = (): void => setAsked(null)
  const add = <AddButtons onAdd={setAdded} />
  return (
    <Page title="Voices" actions={add}>
      <Load query={list} skeleton={<SkeletonRows rows={5} />}>
        {({ accountVoices, myEndpoints }) => {
          const speakers = myEndpoints.filter(({ libraryVoices }) => libraryVoices)
          return (
            <>
              <Speakers speakers={speakers} />
              {accountVoices.length === 0 ? (
                <NoVoices add={add} />
              ) : (
                <VoicesTable
                  voices={accountVoices}
                  speaker={speakers[0]?.slug}
                  onAct={(act, voice) => setAsked({ act, voice })}
                  onExpired={list.reload}
                />
              )}
            </>
          )
        }}
      </Load>
      <AddDialog added={added} onChange={setAdded} onDone={list.reload} />
      {asked?.act === 'rename' && <RenameDialog voice={asked.voice} onDone={list.reload} onClose={close} />}
      {asked?.act === 'delete' && <DeleteDialog voice={asked.voice} onDone={list.reload} onClose={close} />}
    </Page>
  )
}

const AddButtons = ({ onAdd }: { onAdd: (added: Adding) => void }) => (
  <>
    <button type="button" class="button" onClick={() => onAdd({ by: 'upload' })}>
      <Icon name="upload" /> Upload
    </button>
    <button type="button" class="button primary" onClick={() => onAdd({ by: 'microphone' })}>
      <Icon name="voices" /> Record
    </button>
  </>
)

interface AddDialogProps {
  readonly added: Adding | null
  readonly onChange: (added: Adding | null) => void
  readonly onDone: () => void
}

/** A recording is made first, and then added as an uploaded one is. */
function AddDialog({ added, onChange, onDone }: AddDialogProps) {
  const onClose = (): void => onChange(null)
  if (added?.by === 'microphone')
    return <Recording onUse={(recording) => onChange({ by: 'upload', recording })} onClose={onClose} />
  if (added === null) return null
  return <UploadDialog {...(added.recording && { recording: added.recording })} onDone={onDone} onClose={onClose} />
}

/** Most visits record nothing: the recorder has a file of its own. */
function Recording(props: Parameters<typeof RecordDialog>[0]) {
  const gone = (): void => {
    toast('The recorder could not be loaded: check the connection and try again.')
    props.onClose()
  }
  const file = useFile(true, () => import('./record/record-dialog.tsx'), gone)
  return file && <file.RecordDialog {...props} />
}

const NoVoices = ({ add }: { add: ComponentChildren }) => (
  <Empty title="No voices of your own yet" action={<span class="row">{add}</span>}>
    Half a minute of clean speech is enough for engines that imitate a voice: read a text aloud here, or upload a
    recording.
  </Empty>
)

/** Without an endpoint that takes them they cannot be spoken. */
const Speakers = ({ speakers }: { speakers: LibraryQuery['myEndpoints'] }) =>
  speakers.length === 0 ? (
    <p class="notice warn">
      <Icon name="alert" />
      <span>
        No endpoint speaks with voices of your own yet.{' '}
        {isOperator.value ? (
          <>
            Turn it on in one of the <a href={at('/operator/endpoints')}>endpoints</a>, with{' '}
            <code>library_voices: true</code>.
          </>
        ) : (
          'Ask your operator to turn it on.'
        )}
      </span>
    </p>
  ) : (
    <p class="page-lead muted">
      Endpoints that speak with them: {new Intl.ListFormat('en').format(speakers.map(({ name }) => isolated(name)))}.
      Only this account sees and hears them.
    </p>
  )

interface VoiceDialogProps {
  readonly voice: LibraryVoice
  readonly onDone: () => void
  readonly onClose: () => void
}

function RenameDialog({ voice, onDone, onClose }: VoiceDialogProps) {
  const [name, setName] = useState(voice.name)
  const rename = useAction(async () => {
    await ask(renameVoice, { id: voice.id, name: name.trim() })
    onDone()
    onClose()
  })
  const taken = rename.failure?.details[0]?.message
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void rename.run()
  }
  return (
    <Dialog title="Rename the voice" onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {rename.failure !== null && taken === undefined && <Failure failure={rename.failure} />}
        <TextField
          label="Name"
          hint="Programs that speak with it go on as before."
          error={taken === undefined ? undefined : `The name ${taken}.`}
          required
          maxLength={200}
          dir="auto"
          autocomplete="off"
          value={name}
          onText={setName}
        />
        <div class="row end">
          <button type="submit" class="button primary" aria-disabled={rename.isOff || name.trim() === ''}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const DeleteDialog = ({ voice, onDone, onClose }: VoiceDialogProps) => (
  <ConfirmDialog
    title={`Delete ${isolated(voice.name)}?`}
    action="Delete the voice"
    isDanger
    onConfirm={async () => {
      await ask(deleteVoice, { id: voice.id })
      toast('The voice and its recording are deleted.')
      onDone()
    }}
    onClose={onClose}
  >
    <p>
      Its recording goes with it, and cannot be brought back. Jobs that wait with this voice fail and are refunded;
      audio that was spoken stays.
    </p>
  </ConfirmDialog>
)
