import { Field } from '../parts/field.tsx'
import type { FormField } from './form-fields.ts'

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
        <InputControl parts={{ ...parts, name: field.name }} field={field} value={value} onChange={onChange} />
      </>
    )}
  </Field>
)

interface ExamplesProps {
  /** The input's name. */
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
  readonly field: FormField
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
}

function InputControl({ parts, field: { control, fallback }, value, onChange }: ControlProps) {
  const text = typeof value === 'string' ? value : ''
  const placeholder = fallback?.toString()
  if (control.kind === 'switch')
    return (
      <input
        {...parts}
        type="checkbox"
        checked={(value ?? fallback) === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    )
  if (control.kind === 'choice')
    return <ChoiceControl {...{ parts, placeholder, text, onChange }} options={control.options} />
  if (control.kind === 'number') return <NumberControl {...{ parts, placeholder, text, onChange, control }} />
  if (control.kind === 'text' && !control.isLong)
    return <LineControl {...{ parts, placeholder, text, onChange }} maxLength={control.maxLength} />
  return (
    <textarea
      {...parts}
      class="input"
      rows={2}
      value={text}
      dir="auto"
      placeholder={placeholder ?? (control.kind === 'json' ? 'JSON' : undefined)}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

interface TextProps {
  readonly parts: object
  /** The field shows it while it is empty. */
  readonly placeholder: string | undefined
  readonly text: string
  readonly onChange: (value: FormValue) => void
}

const ChoiceControl = ({ parts, options, placeholder, text, onChange }: TextProps & { options: readonly string[] }) => (
  <select
    {...parts}
    class="select"
    value={text === placeholder ? '' : text}
    onChange={(event) => onChange(event.currentTarget.value)}
  >
    <option value="" dir="auto">
      {placeholder === undefined || placeholder === 'auto' ? 'Automatic' : `${placeholder} (default)`}
    </option>
    {options
      .filter((option) => option !== placeholder)
      .map((option) => (
        <option key={option} value={option} dir="auto">
          {option}
        </option>
      ))}
  </select>
)

interface NumberProps extends TextProps {
  readonly control: { readonly isWhole: boolean; readonly min: number | undefined; readonly max: number | undefined }
}

const NumberControl = ({ parts, placeholder, text, onChange, control: { isWhole, min, max } }: NumberProps) => (
  <input
    {...parts}
    {...{ min, max, placeholder }}
    class="input"
    type="number"
    step={isWhole ? 1 : 'any'}
    value={text}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
)

const LineControl = ({ parts, text, onChange, ...attributes }: TextProps & { maxLength: number | undefined }) => (
  <input
    {...parts}
    {...attributes}
    class="input"
    value={text}
    dir="auto"
    onInput={(event) => onChange(event.currentTarget.value)}
  />
)
