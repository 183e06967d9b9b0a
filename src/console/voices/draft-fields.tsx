import { Field, TextField } from '../parts/field.tsx'
import { LanguageSelect } from '../parts/language-select.tsx'

/** The fields of a voice before its upload. */
export interface Draft {
  readonly name: string
  readonly consent: string
  readonly hasConsent: boolean
  readonly transcript: string
  readonly language: string
}

/** By the names of the form's fields. */
export type FieldErrors = Readonly<Record<string, string | undefined>>

interface DraftFieldsProps {
  readonly draft: Draft
  readonly errors: FieldErrors
  readonly onChange: (change: Partial<Draft>) => void
}

const LINE = { required: true, autocomplete: 'off', dir: 'auto' } as const

export const DraftFields = (props: DraftFieldsProps) => (
  <>
    <NameAndLanguage {...props} />
    <TranscriptField {...props} />
    <ConsentFields {...props} />
  </>
)

const NameAndLanguage = ({ draft, errors, onChange }: DraftFieldsProps) => (
  <div class="halves flush">
    <TextField
      {...LINE}
      label="Name"
      error={sentenceOf('The name', errors.name)}
      maxLength={200}
      value={draft.name}
      onText={(name) => onChange({ name })}
    />
    <Field label="Language (optional)" error={sentenceOf('The language', errors.language)}>
      {(parts) => (
        <LanguageSelect
          parts={parts}
          value={draft.language}
          none="Unknown"
          onChange={(language) => onChange({ language })}
        />
      )}
    </Field>
  </div>
)

const TranscriptField = ({ draft, errors, onChange }: DraftFieldsProps) => (
  <Field
    label="Transcript (optional)"
    hint="The text of the recording: some engines imitate better with it, others need it."
    error={sentenceOf('The transcript', errors.ref_text)}
  >
    {(parts) => (
      <textarea
        {...parts}
        class="input"
        rows={2}
        dir="auto"
        maxLength={2000}
        value={draft.transcript}
        onInput={(event) => onChange({ transcript: event.currentTarget.value })}
      />
    )}
  </Field>
)

const ConsentFields = ({ draft, errors, onChange }: DraftFieldsProps) => (
  <>
    <TextField
      {...LINE}
      label="How the speaker has agreed"
      hint="Such as “My own voice” or “Release signed on 20 November”. It is kept with the voice."
      error={sentenceOf('This', errors.consent)}
      maxLength={2000}
      value={draft.consent}
      onText={(consent) => onChange({ consent })}
    />
    <label class="check">
      <input
        type="checkbox"
        required
        checked={draft.hasConsent}
        onChange={(event) => onChange({ hasConsent: event.currentTarget.checked })}
      />
      I confirm that the speaker agrees to speech being made with this voice
    </label>
  </>
)

/** "The name is taken by another voice." */
export const sentenceOf = (subject: string, message: string | undefined): string | undefined =>
  message === undefined ? undefined : `${subject} ${message}.`
