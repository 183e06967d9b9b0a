import type { ComponentChildren, ComponentProps } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

interface FieldParts {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean | undefined
}

interface FieldProps {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly children: (parts: FieldParts) => ComponentChildren
}

/** Label above, control, hint or error below, tied together for screen readers. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const hasNote = error !== undefined || hint !== undefined
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': hasNote ? `${id}-note` : undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hasNote && (
        <p id={`${id}-note`} class={error === undefined ? 'hint' : 'hint bad'}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

type TextFieldProps = Omit<FieldProps, 'children'> &
  ComponentProps<'input'> & { readonly value: string; readonly onText: (text: string) => void }

/** A field of one line; what else it is given are attributes of its input. */
export const TextField = ({ label, hint, error, value, onText, ...attributes }: TextFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(parts) => (
      <input
        {...parts}
        class="input"
        {...attributes}
        value={value}
        onInput={(event) => onText(event.currentTarget.value)}
      />
    )}
  </Field>
)

interface SegmentsProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, text: ComponentChildren])[]
  readonly onChange: (value: Value) => void
}

/** One of a few, in one line: radio buttons that look like a control. On a phone it may scroll, to the chosen one first. */
export function Segments<Value extends string>({ label, value, options, onChange }: SegmentsProps<Value>) {
  const name = useId()
  const root = useRef<HTMLFieldSetElement>(null)
  const seen = useRef('')
  useEffect(() => {
    const chosen = root.current?.querySelector<HTMLElement>('.on')
    if (!root.current || !chosen) return
    // Figures that come later move it out of sight.
    const state = `${value} ${root.current.scrollWidth}`
    if (state !== seen.current)
      root.current.scrollLeft = chosen.offsetLeft + (chosen.offsetWidth - root.current.clientWidth) / 2
    seen.current = state
  })
  return (
    <fieldset class="segments" ref={root}>
      <legend class="unseen">{label}</legend>
      {options.map(([one, text]) => (
        <label key={one} class={one === value ? 'segment on' : 'segment'}>
          <input type="radio" class="unseen" name={name} checked={one === value} onChange={() => onChange(one)} />
          {text}
        </label>
      ))}
    </fieldset>
  )
}
