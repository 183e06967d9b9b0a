import { LANGUAGES } from './languages.ts'

interface LanguageSelectProps {
  /** The attributes of the field. */
  readonly parts: object
  /** '' for none. */
  readonly value: string
  /** The text for no language. */
  readonly none: string
  readonly onChange: (language: string) => void
}

export const LanguageSelect = ({ parts, value, none, onChange }: LanguageSelectProps) => (
  <select {...parts} class="select" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    <option value="">{none}</option>
    {LANGUAGES.map((language) => (
      <option key={language} value={language}>
        {language}
      </option>
    ))}
  </select>
)
