import { useState } from 'preact/hooks'
import { ask } from '../../api/ask.ts'
import { type Action, useAction } from '../../api/use-action.ts'
import { applyFile } from '../../operations.ts'
import type { EntryChange } from './changes.tsx'

interface Checked {
  readonly source: string
  /** The stored file that the review compared with. */
  readonly stored: string
  readonly changes: readonly EntryChange[]
  readonly warnings: readonly string[]
}

export interface Review {
  readonly check: Action<void>
  /** Null until the file as it is now was compared with what is stored now. */
  readonly changes: readonly EntryChange[] | null
  /** The service warns here about engines that it cannot reach. */
  readonly warnings: readonly string[]
  readonly forget: () => void
}

/** Asks the service for the errors of a file and for the changes of an apply. */
export function useReview(source: string, stored: string): Review {
  const [checked, setChecked] = useState<Checked | null>(null)
  const check = useAction(async () => {
    setChecked(null)
    const { applyEndpoints } = await ask(applyFile, { source, dryRun: true })
    const { changes, warnings } = applyEndpoints
    setChecked({ source, stored, changes, warnings })
  })
  const isOfNow = checked?.source === source && checked.stored === stored
  const { changes, warnings } = isOfNow ? checked : { changes: null, warnings: [] }
  return { check, changes, warnings, forget: () => setChecked(null) }
}
