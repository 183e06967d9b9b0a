import { useState } from 'preact/hooks'
import { asApiError } from '../../api/api-error.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Field } from '../../parts/field.tsx'
import { type FormField, formFields, inputsOf } from '../../playground/form-fields.ts'
import { type FormValue, InputField } from '../../playground/input-field.tsx'
import { VoicePicker } from '../../playground/voice-picker.tsx'
import { inherited, type Settings } from '../model/project.ts'
import { type Endpoint, endpointOf, useWithOwnVoices } from './endpoints.ts'

interface SettingsDialogProps {
  readonly title: string
  readonly own: Settings
  /** These hold where there is nothing of its own. */
  readonly from: Settings
  readonly endpoints: readonly Endpoint[]
  /** The URLs of samples have expired. */
  readonly onExpired: () => void
  readonly onSave: (settings: Settings) => void
  readonly onClose: () => void
}

/** How something is spoken: voice, style, speed and the silence behind it. What is left empty is inherited. */
export function SettingsDialog({ title, own, from, endpoints, onExpired, onSave, onClose }: SettingsDialogProps) {
  const form = useSettings(own, from, endpoints)
  const { draft, endpoint, fields, values, failure, set, setInput, read } = form
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    const settings = read()
    if (settings === null) return
    onSave(settings)
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="stack" onSubmit={onSubmit}>
        {failure !== null && <Failure failure={failure} />}
        <EndpointField endpoints={endpoints} own={draft.endpoint ?? ''} from={from} onChange={form.setEndpoint} />
        {endpoint !== undefined && (
          <VoicePicker
            voices={endpoint.voices}
            chosen={draft.voice ?? from.voice ?? ''}
            onChoose={(voice) => set({ voice })}
            onExpired={onExpired}
          />
        )}
        {draft.voice != null && from.voice != null && (
          <InheritButton name={voiceName(endpoint, from.voice)} onClick={() => set({ voice: null })} />
        )}
        {fields.map((field) => {
          const { name } = field
          return <InputField key={name} {...{ field, value: values[name] }} onChange={(one) => setInput(name, one)} />
        })}
        <PauseField own={draft.pauseMs ?? null} from={from.pauseMs ?? null} onChange={(pauseMs) => set({ pauseMs })} />
        <div class="row end">
          <button type="submit" class="button primary">
            Use this
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const InheritButton = ({ name, onClick }: { name: string; onClick: () => void }) => (
  <p class="row">
    <button type="button" class="button small" onClick={onClick}>
      Use the voice from above: {name}
    </button>
  </p>
)

const voiceName = (endpoint: Endpoint | undefined, slug: string): string =>
  endpoint?.voices.find((voice) => voice.slug === slug)?.name ?? slug

function useSettings(own: Settings, from: Settings, endpoints: readonly Endpoint[]) {
  const [draft, setDraft] = useState<Settings>(own)
  const endpoint = useWithOwnVoices(endpointOf(endpoints, inherited([draft, from])))
  const fields = formFields(endpoint?.schema)
    .filter(({ name }) => name !== 'text' && name !== endpoint?.voiceInput)
    .map(
      (field): FormField => ({
        ...field,
        isRequired: false,
        fallback: shownAs(from.inputs?.[field.name]) ?? field.fallback,
      }),
    )
  const [values, setValues] = useState<Readonly<Record<string, FormValue>>>(() =>
    Object.fromEntries(Object.entries(own.inputs ?? {}).map(([name, value]) => [name, shownAs(value)])),
  )
  const [failure, setFailure] = useState<ReturnType<typeof asApiError> | null>(null)
  const set = (changes: Partial<Settings>): void => setDraft((before) => ({ ...before, ...changes }))
  const read = (): Settings | null => {
    try {
      const inputs = inputsOf(fields, values)
      return cleaned({ ...draft, inputs })
    } catch (error) {
      setFailure(asApiError(error))
      return null
    }
  }
  return {
    ...{ draft, endpoint, fields, values, failure, set, read },
    // Another endpoint has other voices and inputs.
    setEndpoint: (slug: string) => setDraft({ ...draft, endpoint: slug === '' ? null : slug, voice: null }),
    setInput: (name: string, value: FormValue) => setValues((before) => ({ ...before, [name]: value })),
  }
}

/** As a form holds values. */
const shownAs = (value: unknown): string | boolean | undefined => {
  if (typeof value === 'string' || typeof value === 'boolean') return value
  return value === undefined || value === null ? undefined : JSON.stringify(value)
}

/** Without what is inherited. */
const cleaned = ({ endpoint, voice, inputs, pauseMs }: Settings): Settings => ({
  ...(endpoint != null && { endpoint }),
  ...(voice != null && { voice }),
  ...(Object.keys(inputs ?? {}).length > 0 && { inputs: inputs ?? {} }),
  ...(pauseMs != null && { pauseMs }),
})

interface EndpointFieldProps {
  readonly endpoints: readonly Endpoint[]
  readonly own: string
  readonly from: Settings
  readonly onChange: (slug: string) => void
}

const EndpointField = ({ endpoints, own, from, onChange }: EndpointFieldProps) =>
  endpoints.length < 2 ? null : (
    <Field label="Engine">
      {(parts) => (
        <select {...parts} class="select" value={own} onChange={(event) => onChange(event.currentTarget.value)}>
          <option value="">{endpointOf(endpoints, from)?.name ?? 'The first one'} (as above)</option>
          {endpoints.map(({ slug, name, isServed }) => (
            <option key={slug} value={slug} dir="auto">
              {isServed === false ? `${name} – cannot speak now` : name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )

const USUAL_PAUSE = '0.4, and 1.2 at the end of a chapter'

interface PauseFieldProps {
  readonly own: number | null
  readonly from: number | null
  readonly onChange: (pauseMs: number | null) => void
}

const PauseField = ({ own, from, onChange }: PauseFieldProps) => (
  <Field label="Silence behind it, in seconds (optional)">
    {(parts) => (
      <input
        {...parts}
        class="input"
        type="number"
        min={0}
        max={60}
        step="any"
        value={own === null ? '' : own / 1000}
        placeholder={from === null ? USUAL_PAUSE : String(from / 1000)}
        onInput={({ currentTarget: { value } }) => onChange(value === '' ? null : Math.round(Number(value) * 1000))}
      />
    )}
  </Field>
)
