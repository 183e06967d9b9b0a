import { at } from '../api/base.ts'
import { useQuery } from '../api/use-query.ts'
import { oneKey } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import type { ApiKey } from './api-key.ts'
import { KeysTable } from './keys-table.tsx'

interface FoundKeyProps {
  readonly id: string
  /** Where the key is changed or deleted; the list is asked for anew as well. */
  readonly onEdit: (key: ApiKey, reload: () => void) => void
  readonly onDelete: (key: ApiKey, reload: () => void) => void
}

/** The key that an address names, wherever in the list it stands. */
export function FoundKey({ id, onEdit, onDelete }: FoundKeyProps) {
  const query = useQuery(oneKey, { id })
  const node = query.data?.node
  const found = node?.__typename === 'ApiKey' ? node : null
  const all = (
    <a class="button" href={at('/keys')}>
      All keys
    </a>
  )
  return (
    <Load query={query} skeleton={<SkeletonRows rows={1} />}>
      {() =>
        found === null ? (
          <Empty title="No such key" action={all}>
            It may have been deleted. The id may also belong to another account.
          </Empty>
        ) : (
          <>
            <KeysTable
              keys={[found]}
              onEdit={(key) => onEdit(key, query.reload)}
              onDelete={(key) => onDelete(key, query.reload)}
            />
            <p>{all}</p>
          </>
        )
      }
    </Load>
  )
}
