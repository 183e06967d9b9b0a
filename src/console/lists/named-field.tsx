import { useEffect, useState } from 'preact/hooks'
import { SuggestionForm } from './suggestion-form.tsx'

interface NamedFieldProps {
  readonly label: string
  readonly placeholder: string
  /** The name of the address's parameter. */
  readonly name: string
  /** The suggestions; null while they load, and the typed text waits for them. */
  readonly names: readonly string[] | null
  readonly read: (typed: string) => { readonly value: string } | { readonly error: string }
  readonly onValue: (value: string) => void
}

/** A field of the address that is typed by a name, with what is wrong of it. */
export function NamedField({ name, ...field }: NamedFieldProps) {
  return <NamedForm key={name} name={name} {...field} />
}

function NamedForm({ label, placeholder, name, names, read, onValue }: NamedFieldProps) {
  const [text, setText] = useState(name)
  const [waiting, setWaiting] = useState<string | null>(null)
  const [error, setError] = useState<string | null>(null)
  const choose = (typed: string): void => {
    setWaiting(names === null ? typed : null)
    if (names === null) return
    const found = read(typed)
    setError('error' in found ? found.error : null)
    if ('value' in found) onValue(found.value)
  }
  useEffect(() => {
    if (waiting !== null) choose(waiting)
  }, [names === null])
  return (
    <>
      <SuggestionForm
        label={label}
        placeholder={placeholder}
        value={text}
        onText={setText}
        suggestions={names ?? []}
        onChoose={choose}
        isWrong={error !== null}
      />
      {error !== null && (
        <p class="hint bad" role="alert">
          {error}
        </p>
      )}
    </>
  )
}
