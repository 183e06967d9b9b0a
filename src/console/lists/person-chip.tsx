import { useQuery } from '../api/use-query.ts'
import { personName } from '../operations.ts'
import { shortId } from '../parts/format.ts'
import { RemovableChips } from './removable-chips.tsx'

/** The filter by who submitted jobs, in words: people are told apart by their addresses. */
export function PersonChip({ id }: { readonly id: string }) {
  const { data } = useQuery(personName, { id })
  const email = data?.node?.__typename === 'User' ? data.node.email : shortId(id)
  return <RemovableChips filters={[['user', email, 'person']]} />
}
