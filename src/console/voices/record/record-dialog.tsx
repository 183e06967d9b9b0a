import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { playTime } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { LANGUAGES, langOf } from '../../parts/languages.ts'
import { SoundButton } from '../preview-button.tsx'
import { type Checked, hasError } from './check-recording.ts'
import { LevelMeter } from './level-meter.tsx'
import { READING_TEXTS } from './reading-texts.ts'
import { type Recorder, type Recording, useRecorder } from './use-recorder.ts'
import { wavFile } from './wav-file.ts'
import '../voices.css'
import './record.css'

/** The recording, for the form that adds it to the library. */
export interface Spoken {
  readonly file: File
  readonly transcript: string
  readonly language: string
}

interface RecordDialogProps {
  readonly onUse: (spoken: Spoken) => void
  readonly onClose: () => void
}

/** Records a text that is read aloud, and checks the recording before it is sent. */
export function RecordDialog({ onUse, onClose }: RecordDialogProps) {
  const [language, setLanguage] = useState(languageOf(navigator.languages))
  const recorder = useRecorder()
  const { stage } = recorder
  const text = READING_TEXTS[language] ?? ''
  const isFixed = stage.name === 'recording' || stage.name === 'done'
  const [isWarned, setWarned] = useState(false)
  const close = (): void => (isFixed && !isWarned ? setWarned(true) : onClose())
  return (
    <Dialog title="Record a voice" isWide onClose={close}>
      <div class="stack">
        {!isFixed && (
          <div class="halves flush">
            <LanguageField language={language} onChange={setLanguage} />
            <MicrophoneField recorder={recorder} />
          </div>
        )}
        <ReadAloud text={text} language={language} />
        {stage.name === 'failed' && <Failed words={stage.words} />}
        {stage.name === 'asking' && (
          <p class="muted" role="status">
            Waiting for the microphone. If the browser asks, allow this page to use it.
          </p>
        )}
        {(stage.name === 'ready' || stage.name === 'recording') && <Listening recorder={recorder} />}
        {stage.name === 'done' && <Findings checked={stage.recording} />}
        {isFixed && isWarned && (
          <p class="notice warn" role="alert">
            The recording is lost if you close this. Close it once more to throw it away.
          </p>
        )}
        <Buttons
          recorder={recorder}
          onUse={(recording) => onUse({ file: fileOf(recording), transcript: text, language })}
        />
      </div>
    </Dialog>
  )
}

const Failed = ({ words }: { readonly words: string }) => (
  <p class="notice bad" role="alert">
    <Icon name="alert" /> {words}
  </p>
)

const ReadAloud = ({ text, language }: { readonly text: string; readonly language: string }) => (
  <section class="stack tight">
    <h3 class="label">Read this aloud, at your own pace</h3>
    <p class="read-aloud" dir="auto" lang={langOf(language)}>
      {text}
    </p>
  </section>
)

/** The browser's language as far as the service knows it. */
const languageOf = (wanted: readonly string[]): string =>
  wanted.flatMap((tag) => LANGUAGES.find((name) => langOf(name) === tag.slice(0, 2).toLowerCase()) ?? [])[0] ??
  'English'

const fileOf = ({ samples, sampleRate }: Recording): File => wavFile(samples, sampleRate, 'my_voice.wav')

interface LanguageFieldProps {
  readonly language: string
  readonly onChange: (language: string) => void
}

const LanguageField = ({ language, onChange }: LanguageFieldProps) => (
  <Field label="Language you read in">
    {(parts) => (
      <select {...parts} class="select" value={language} onChange={(event) => onChange(event.currentTarget.value)}>
        {LANGUAGES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    )}
  </Field>
)

const MicrophoneField = ({ recorder: { microphones, microphone, listen } }: { recorder: Recorder }) =>
  microphones.length < 2 ? null : (
    <Field label="Microphone">
      {(parts) => (
        <select {...parts} class="select" value={microphone} onChange={(event) => listen(event.currentTarget.value)}>
          {microphones.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )

const Listening = ({ recorder }: { recorder: Recorder }) => {
  const isRecording = recorder.stage.name === 'recording'
  return (
    <div class="row spread">
      <LevelMeter meter={recorder.meter} />
      <span class="figure" role="timer">
        {isRecording ? playTime(recorder.seconds.value) : '0:00'} <span class="muted">· 20 to 30 seconds are best</span>
      </span>
    </div>
  )
}

const ICONS = { good: 'check', warning: 'alert', error: 'alert' } as const

/** Lists what the checks have found, errors first. */
function Findings({ checked }: { readonly checked: Checked }) {
  const order = ['error', 'warning', 'good']
  const findings = checked.findings.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind))
  const isFlawed = findings.some(({ kind }) => kind !== 'good')
  return (
    <section class="stack tight" role="status">
      <h3 class="label">
        {hasError(checked)
          ? 'This recording cannot be used'
          : isFlawed
            ? 'This recording can be used, a better one gives a better voice'
            : 'This recording is good'}
      </h3>
      <ul class="findings">
        {findings.map(({ kind, found, advice }) => (
          <li key={found} class={kind}>
            <Icon name={ICONS[kind]} />
            <span>
              {found} {advice}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ButtonsProps {
  readonly recorder: Recorder
  readonly onUse: (recording: Recording) => void
}

/** The first button stays the same element, so that the focus stays on it from Record to Stop to Record again. */
function Buttons({ recorder: { stage, start, stop, listen }, onUse }: ButtonsProps) {
  const recording = stage.name === 'done' ? stage.recording : null
  const [text, press] = (
    {
      asking: ['Record', null],
      ready: ['Record', start],
      recording: ['Stop', stop],
      failed: ['Try again', () => listen()],
      done: ['Record again', () => listen()],
    } as const
  )[stage.name]
  return (
    <div class="row end">
      {recording !== null && <Replay recording={recording} />}
      <button
        type="button"
        class={recording === null ? 'button primary' : 'button'}
        aria-disabled={press === null}
        onClick={() => press?.()}
      >
        {text}
      </button>
      {recording !== null && !hasError(recording) && (
        <button type="button" class="button primary" onClick={() => onUse(recording)}>
          Use this recording
        </button>
      )}
    </div>
  )
}

const Replay = ({ recording }: { readonly recording: Recording }) => (
  <span class="row replay">
    <SoundButton
      name="the recording"
      label="the recording"
      source={() => dataUrl(fileOf(recording))}
      onFailed={() => {}}
    />
    Hear it
  </span>
)

/** The page's policy lets audio play from data, not from blobs. */
const dataUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
