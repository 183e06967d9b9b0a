import { useState } from 'preact/hooks'
import { TextField } from './field.tsx'

/** The most that the service takes. */
const MAX_LIMIT = 10 ** 15
const MAX_RUNNING = 2 ** 31 - 1

export interface Limits {
  readonly monthlyLimit?: number | null
  readonly maxRunning?: number | null
}

/** The limits of an account or a key as a form has them, and the form's fields. */
export function useLimits(owner: Limits | null) {
  const [monthly, setMonthly] = useState(limitText(owner?.monthlyLimit))
  const [running, setRunning] = useState(limitText(owner?.maxRunning))
  const limits = { monthlyLimit: limitOf(monthly), maxRunning: limitOf(running) }
  const fields = (
    <>
      <LimitField
        label="Monthly limit"
        hint="Credits of a calendar month in UTC; more is refused. Empty: no limit."
        min={0}
        max={MAX_LIMIT}
        value={monthly}
        onText={setMonthly}
      />
      <LimitField
        label="Jobs at once"
        hint="More wait in the queue until one of these ends. Empty: no limit."
        min={1}
        max={MAX_RUNNING}
        value={running}
        onText={setRunning}
      />
    </>
  )
  return { limits, fields }
}

interface LimitFieldProps {
  readonly label: string
  readonly hint: string
  readonly min: number
  readonly max: number
  /** Empty: no limit. */
  readonly value: string
  readonly onText: (text: string) => void
}

const LimitField = (props: LimitFieldProps) => <TextField type="number" autocomplete="off" {...props} />

const limitOf = (text: string): number | null => (text === '' ? null : Number(text))

const limitText = (limit: number | null | undefined): string => (limit == null ? '' : String(limit))
