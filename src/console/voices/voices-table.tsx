import { at } from '../api/base.ts'
import type { LibraryQuery } from '../operations.ts'
import { duration } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { langOf } from '../parts/languages.ts'
import { Moment } from '../parts/moment.tsx'
import { PreviewButton } from './preview-button.tsx'

export type LibraryVoice = LibraryQuery['accountVoices'][number]
/** A user's action on a voice. */
export type VoiceAct = 'rename' | 'delete'

interface VoicesTableProps {
  readonly voices: readonly LibraryVoice[]
  /** An endpoint that speaks with them; undefined: none does. */
  readonly speaker: string | undefined
  readonly onAct: (act: VoiceAct, voice: LibraryVoice) => void
  readonly onExpired: () => void
}

export const VoicesTable = ({ voices, speaker, onAct, onExpired }: VoicesTableProps) => (
  <div class="table-box as-cards">
    <table class="voices-table" aria-label="Voices">
      <thead>
        <tr>
          <th>Voice</th>
          <th>Language</th>
          <th class="end">Length</th>
          <th class="from-840">Transcript</th>
          <th>Added</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {voices.map((voice) => (
          <VoiceRow key={voice.id} voice={voice} speaker={speaker} onAct={onAct} onExpired={onExpired} />
        ))}
      </tbody>
    </table>
  </div>
)

interface VoiceRowProps extends Omit<VoicesTableProps, 'voices'> {
  readonly voice: LibraryVoice
}

const VoiceRow = ({ voice, speaker, onAct, onExpired }: VoiceRowProps) => (
  <tr>
    <th scope="row">
      <span class="voice-cell">
        <PreviewButton src={voice.sampleUrl as string} label={voice.name} onError={onExpired} />
        <strong class="clip-cell" dir="auto" title={voice.name}>
          {voice.name}
        </strong>
      </span>
    </th>
    <td data-label="Language">{voice.language ?? <span class="faint">unknown</span>}</td>
    <td class="end" data-label="Length">
      {duration(voice.durationMs)}
    </td>
    <td
      class="clip phone-none from-840"
      dir="auto"
      lang={langOf(voice.transcript && voice.language)}
      title={voice.transcript ?? undefined}
    >
      {voice.transcript ?? <span class="faint">none</span>}
    </td>
    <td data-label="Added">
      <Moment at={voice.createdAt} />
    </td>
    <td class="end">
      <VoiceButtons voice={voice} speaker={speaker} onAct={(act) => onAct(act, voice)} />
    </td>
  </tr>
)

interface VoiceButtonsProps {
  readonly voice: LibraryVoice
  readonly speaker: string | undefined
  readonly onAct: (act: VoiceAct) => void
}

const VoiceButtons = ({ voice: { id, name }, speaker, onAct }: VoiceButtonsProps) => (
  <>
    {speaker !== undefined && (
      <a
        class="button quiet small"
        href={at(`/playground?endpoint=${speaker}&voice=${id}`)}
        aria-label={`Speak as ${name}`}
      >
        Speak
      </a>
    )}
    <button type="button" class="button quiet small" aria-label={`Rename ${name}`} onClick={() => onAct('rename')}>
      Rename
    </button>
    <button
      type="button"
      class="button quiet small only-icon"
      aria-label={`Delete ${name}`}
      title="Delete"
      onClick={() => onAct('delete')}
    >
      <Icon name="trash" size={14} />
    </button>
  </>
)
