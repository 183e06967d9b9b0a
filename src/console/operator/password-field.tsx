import { TextField } from '../parts/field.tsx'

interface PasswordFieldProps {
  readonly value: string
  readonly onText: (text: string) => void
}

/** An operator's own password, asked for again. */
export const PasswordField = ({ value, onText }: PasswordFieldProps) => (
  <TextField
    label="Your password"
    type="password"
    required
    autocomplete="current-password"
    value={value}
    onText={onText}
  />
)
