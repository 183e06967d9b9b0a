import { TextField } from '../parts/field.tsx'

const MIN_CHARACTERS = 12

interface TextProps {
  readonly value: string
  readonly onText: (text: string) => void
}

/** The user's address for a form; empty if the installation made it up. */
export const ownAddress = (email: string): string => (email.endsWith('.invalid') ? '' : email)

export const AddressField = (text: TextProps) => (
  <TextField label="E-mail address" type="email" autocomplete="username" required {...text} />
)

export const NewPasswordField = (text: TextProps) => (
  <TextField
    label="New password"
    hint={`At least ${MIN_CHARACTERS} characters.`}
    type="password"
    autocomplete="new-password"
    required
    minLength={MIN_CHARACTERS}
    {...text}
  />
)
