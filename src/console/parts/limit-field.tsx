import { TextField } from './field.tsx'

/** The most that the service takes. */
const MAX_LIMIT = 10 ** 15

interface LimitFieldProps {
  /** Empty: no limit. */
  readonly value: string
  readonly onText: (text: string) => void
}

/** Credits of a calendar month. */
export const LimitField = ({ value, onText }: LimitFieldProps) => (
  <TextField
    label="Monthly limit"
    hint="Credits of a calendar month in UTC; more is refused. Empty: no limit."
    type="number"
    min={0}
    max={MAX_LIMIT}
    autocomplete="off"
    value={value}
    onText={onText}
  />
)

export const limitOf = (text: string): number | null => (text === '' ? null : Number(text))

export const limitText = (limit: number | null | undefined): string => (limit == null ? '' : String(limit))
