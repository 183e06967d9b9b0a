import { useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { ownMedia } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { Failure } from '../parts/failure.tsx'
import { Icon } from '../parts/icon.tsx'
import { noteVoice } from './draft.ts'

interface ReferenceButtonProps {
  /** The take as a WAV file. */
  readonly url: string
  /** The file name without its ending. */
  readonly name: string
  /** The transcript of the recording. */
  readonly text: string
}

const UNREADABLE = 'The audio of this job cannot be read here: download it, and add it under Voices.'

/** A take as the recording of a voice of the account. The form for that has a file of its own. */
export function ReferenceButton({ url, name, text }: ReferenceButtonProps) {
  const [opened, setOpened] = useState<Awaited<ReturnType<typeof load>> | null>(null)
  const open = useAction(async () => setOpened(await load(url, `${name}.wav`)))
  return (
    <>
      {open.failure !== null && <Failure failure={open.failure} />}
      <button
        type="button"
        class="button quiet small only-icon"
        aria-label="Make a voice of this"
        title="Make a voice of your own of this"
        aria-disabled={open.isOff}
        onClick={() => void open.run()}
      >
        <Icon name="voices" size={14} />
      </button>
      {opened !== null && (
        <opened.UploadDialog
          recording={{ file: opened.file, transcript: text }}
          onDone={noteVoice}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  )
}

async function load(url: string, name: string) {
  const [{ UploadDialog }, file] = await Promise.all([import('../voices/upload-dialog.tsx'), fileOf(url, name)])
  return { UploadDialog, file }
}

/** A bucket may let no page read it. @throws ApiError */
async function fileOf(url: string, name: string): Promise<File> {
  const response = await fetch(ownMedia(url)).catch(() => null)
  if (!response?.ok) throw new ApiError(UNREADABLE, { code: 'UNREADABLE_AUDIO' })
  return new File([await response.blob()], name, { type: 'audio/wav' })
}
