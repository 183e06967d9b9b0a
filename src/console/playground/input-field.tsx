import { Field } from '../parts/field.tsx'
import type { Control, FormField } from './form-fields.ts'

export type FormValue = string | boolean | undefined

interface InputFieldProps {
  readonly field: FormField
  readonly value: FormValue
  readonly error?: string | undefined
  readonly onChange: (value: FormValue) => void
}

/** An input of the endpoint as the control that its schema asks for. */
export const InputField = ({ field, value, error, onChange }: InputFieldProps) => (
  <Field label={field.isRequired ? field.title : `${field.title} (optional)`} hint={field.hint} error={error}>
    {(parts) => (
      <>
        {field.examples.length > 0 && (
          <Examples of={field.title} texts={field.examples} chosen={value} onChoose={onChange} />
        )}
        <InputControl parts={parts} control={field.control} value={value} onChange={onChange} />
      </>
    )}
  </Field>
)

interface ExamplesProps {
  /** What the input is called. */
  readonly of: string
  readonly texts: readonly string[]
  readonly chosen: FormValue
  readonly onChoose: (text: string) => void
}

/** Texts to begin with, as chips; a second press takes one away again. */
const Examples = ({ of, texts, chosen, onChoose }: ExamplesProps) => (
  // biome-ignore lint/a11y/useSemanticElements: buttons within a field are no fieldset of their own
  <span class="row examples" role="group" aria-label={`Examples: ${of}`}>
    {texts.map((text) => (
      <button
        key={text}
        type="button"
        class={text === chosen ? 'chip pressable on' : 'chip pressable'}
        aria-pressed={text === chosen}
        onClick={() => onChoose(text === chosen ? '' : text)}
      >
        {text}
      </button>
    ))}
  </span>
)

interface ControlProps {
  readonly parts: object
  readonly control: Control
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
}

function InputControl({ parts, control, value, onChange }: ControlProps) {
  const text = typeof value === 'string' ? value : ''
  if (control.kind === 'switch')
    return (
      <input
        {...parts}
        type="checkbox"
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  if (control.kind === 'choice')
    return <ChoiceControl parts={parts} options={control.options} text={text} onChange={onChange} />
  if (control.kind === 'number')
    return (
      <input
        {...parts}
        class="input"
        type="number"
        step={control.isWhole ? 1 : 'any'}
        min={control.min}
        max={control.max}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )
  if (control.kind === 'text' && !control.isLong)
    return <LineControl parts={parts} maxLength={control.maxLength} text={text} onChange={onChange} />
  return (
    <textarea
      {...parts}
      class="input"
      rows={2}
      value={text}
      dir="auto"
      placeholder={control.kind === 'json' ? 'JSON' : undefined}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface ChoiceProps {
  readonly parts: object
  readonly options: readonly string[]
  readonly text: string
  readonly onChange: (value: FormValue) => void
}

const ChoiceControl = ({ parts, options, text, onChange }: ChoiceProps) => (
  <select {...parts} class="select" value={text} onChange={(event) => onChange(event.currentTarget.value)}>
    <option value="">Automatic</option>
    {options.map((option) => (
      <option key={option} value={option} dir="auto">
        {option}
      </option>
    ))}
  </select>
)

interface LineProps {
  readonly parts: object
  readonly maxLength: number | undefined
  readonly text: string
  readonly onChange: (value: FormValue) => void
}

const LineControl = ({ parts, maxLength, text, onChange }: LineProps) => (
  <input
    {...parts}
    class="input"
    maxLength={maxLength}
    value={text}
    dir="auto"
    onInput={(event) => onChange(event.currentTarget.value)}
  />
)
