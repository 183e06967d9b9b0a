import type { ComponentProps } from 'preact'
import { useId } from 'preact/hooks'
import { SearchField } from '../parts/search-field.tsx'

interface SuggestionFormProps extends Omit<ComponentProps<typeof SearchField>, 'list' | 'onDone'> {
  readonly suggestions: readonly string[]
  readonly onChoose: (text: string) => void
}

/** A field that suggests what may be meant; it is taken at Enter, or once the field is left or a suggestion chosen. */
export function SuggestionForm({ suggestions, onChoose, ...field }: SuggestionFormProps) {
  const list = useId()
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    onChoose(field.value)
  }
  return (
    <form class="with-icon" onSubmit={onSubmit}>
      <SearchField {...field} list={list} onDone={onChoose} />
      <datalist id={list}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </form>
  )
}
