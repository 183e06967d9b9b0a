import { Icon } from '../parts/icon.tsx'
import { useAddress } from '../parts/use-address.ts'

const TO_START = { after: null, before: null }

interface RemovableChipsProps {
  /** Names of the address, and what each filters by; without one it is not shown. A chip may have a word of its own for its name. */
  readonly filters: readonly (readonly [name: string, value: string | null | undefined, word?: string])[]
}

/** Filters that no field shows: said, so that a short list is not a riddle. */
export function RemovableChips({ filters }: RemovableChipsProps) {
  const { change } = useAddress()
  return (
    <>
      {filters.map(([name, value, word = name]) =>
        value ? (
          <button key={name} type="button" class="chip removable" onClick={() => change({ [name]: null, ...TO_START })}>
            {word} <strong>{value}</strong> <Icon name="close" size={12} />
            <span class="unseen">Remove this filter</span>
          </button>
        ) : null,
      )}
    </>
  )
}
