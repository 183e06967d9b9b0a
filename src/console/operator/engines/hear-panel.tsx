import { useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { useAction } from '../../api/use-action.ts'
import { type HearEngineMutation, type HearEngineMutationVariables, hearEngine } from '../../operations.ts'
import { Failure } from '../../parts/failure.tsx'
import { Field, TextField } from '../../parts/field.tsx'
import { duration } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { PreviewButton, playSample } from '../../voices/preview-button.tsx'

type Heard = Extract<HearEngineMutation['hearEngine'], { __typename: 'HeardSpeech' }>

interface Voice {
  readonly slug: string
  readonly name: string
}

export interface HearPanelProps {
  readonly voices: readonly Voice[]
  /** The endpoint, or the file of one that is not applied yet. */
  readonly onSource: (voice: Voice) => Promise<HearEngineMutationVariables>
  readonly onHeard?: () => void
}

/** Has an engine speak a sentence, and plays it. */
export function HearPanel({ voices, onSource, onHeard }: HearPanelProps) {
  const [chosen, setChosen] = useState('')
  const [text, setText] = useState('')
  const [heard, setHeard] = useState<Heard | null>(null)
  const voice = voices.find(({ slug }) => slug === chosen) ?? voices[0]
  const hear = useAction(async () => {
    if (voice === undefined) return
    setHeard(null)
    const answer = await ask(hearEngine, { ...(await onSource(voice)), text: text.trim() || null })
    setHeard(answer.hearEngine)
    if (answer.hearEngine.audio === null) return
    onHeard?.()
    await playSample(answer.hearEngine.audio).catch(() => {})
  })
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    void hear.run()
  }
  return (
    <form class="hear" onSubmit={onSubmit}>
      <div class="hear-row">
        {voices.length > 1 && <VoiceField voices={voices} chosen={voice?.slug ?? ''} onChoose={setChosen} />}
        <TextField
          label="Sentence"
          value={text}
          onText={setText}
          maxLength={300}
          placeholder="Hello! This is how I sound."
          autocomplete="off"
        />
        <button type="submit" class="button" aria-disabled={hear.isOff}>
          <Icon name="volume" /> {hear.isRunning ? 'Speaking…' : 'Hear it'}
        </button>
      </div>
      {hear.failure !== null && <Failure failure={hear.failure} />}
      <div role="status">{heard !== null && <Result heard={heard} name={voice?.name ?? ''} />}</div>
    </form>
  )
}

interface VoiceFieldProps {
  readonly voices: readonly Voice[]
  readonly chosen: string
  readonly onChoose: (slug: string) => void
}

const VoiceField = ({ voices, chosen, onChoose }: VoiceFieldProps) => (
  <Field label="Voice">
    {(parts) => (
      <select {...parts} class="select" value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {voices.map(({ slug, name }) => (
          <option key={slug} value={slug}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)

const Result = ({ heard: { audio, audioMs, speechMs, text, problem }, name }: { heard: Heard; name: string }) =>
  audio === null ? (
    <p class="notice bad">
      <Icon name="alert" /> <span class="notice-body">{problem}</span>
    </p>
  ) : (
    <p class="heard">
      <PreviewButton src={audio} label={`the sentence of ${name}`} />
      <span>
        <strong dir="auto">{text}</strong>
        <span class="faint small-text">
          {duration(audioMs)} of speech, spoken in {duration(speechMs)}
        </span>
      </span>
    </p>
  )
