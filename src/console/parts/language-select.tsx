import { LANGUAGES } from './languages.ts'

interface LanguageSelectProps {
  /** Of a field. */
  readonly parts: object
  /** '' for none. */
  readonly value: string
  /** What having none means. */
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
