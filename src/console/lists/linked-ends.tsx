import { timeOf } from '../jobs/jobs-filter.ts'
import { exactTime } from '../parts/format.ts'
import { useAddress } from '../parts/use-address.ts'
import { RemovableChips } from './removable-chips.tsx'

/** The ends of a window that has no name, in the words of the fields that choose them. */
export function LinkedEnds() {
  const { query } = useAddress()
  const [from, to] = [timeOf(query.from), timeOf(query.to)]
  const shown = [
    ['from', from && exactTime(from)],
    ['to', to && exactTime(to), 'until'],
  ] as const
  return <RemovableChips filters={shown} />
}
