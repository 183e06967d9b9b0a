import { Icon } from './icon.tsx'

interface SearchFieldProps {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onText: (text: string) => void
  /** When the user is done with it, or has chosen what is suggested. */
  readonly onDone?: (text: string) => void
  readonly onFocus?: () => void
  readonly icon?: Parameters<typeof Icon>[0]['name']
  readonly isWrong?: boolean
  /** It finds with each letter, and Enter does not send the form that it stands in. */
  readonly isOfOtherForm?: boolean
  /** The id of the suggestions. */
  readonly list?: string
}

/** The field inside a box `with-icon`; the key / leads to the first one of a page. */
export const SearchField = ({
  label,
  icon = 'search',
  isWrong,
  isOfOtherForm,
  onText,
  onDone,
  ...rest
}: SearchFieldProps) => (
  <>
    <Icon name={icon} size={14} />
    <input
      {...rest}
      class="input"
      type="search"
      dir="auto"
      data-search
      aria-label={label}
      aria-invalid={isWrong || undefined}
      onInput={(event) => onText(event.currentTarget.value)}
      onKeyDown={(event) => isOfOtherForm && event.key === 'Enter' && event.preventDefault()}
      onChange={(event) => onDone?.(event.currentTarget.value)}
    />
  </>
)
