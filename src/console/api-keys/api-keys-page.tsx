import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Loaded, useQuery } from '../api/use-query.ts'
import { useRowWalk } from '../lists/use-row-letters.ts'
import { type ApiKeysQuery, apiKeys as apiKeysQuery } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import type { ApiKey } from './api-key.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { FoundKey } from './found-key.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { KeysTable } from './keys-table.tsx'

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'delete'; readonly key: ApiKey; readonly reload: () => void }

const PAGE = 50

/** Which dialog is open. A link may ask for a new key, once: the way back to this page does not. */
function useOpen() {
  const { query, change } = useAddress()
  const [open, setOpen] = useState<Open | null>(null)
  useEffect(() => {
    if (query.new === undefined) return
    setOpen({ kind: 'new' })
    change({ new: null }, true)
  }, [query.new])
  return [open, setOpen] as const
}

/** Keys may have been made and deleted elsewhere while another window had the focus. */
function useFocusReload(reload: () => void): void {
  useEffect(() => {
    addEventListener('focus', reload)
    return () => removeEventListener('focus', reload)
  }, [reload])
}

/** The account's API keys: what each may do; their values are shown once, when they are made. */
export function ApiKeysPage() {
  useRowWalk()
  const { query } = useAddress()
  const [open, setOpen] = useOpen()
  const page = pageOf(query, PAGE)
  const list = useQuery(apiKeysQuery, query.key ? null : page)
  useFocusReload(list.reload)
  const onEdit = (key: ApiKey, reload: () => void): void => setOpen({ kind: 'edit', key, reload })
  const onDelete = (key: ApiKey, reload: () => void): void => setOpen({ kind: 'delete', key, reload })
  const create = (
    <button type="button" class="button primary" onClick={() => setOpen({ kind: 'new' })}>
      <Icon name="plus" /> Create a key
    </button>
  )
  return (
    <Page title="API keys" actions={create}>
      {query.key ? (
        <FoundKey key={query.key} id={query.key} onEdit={onEdit} onDelete={onDelete} />
      ) : (
        <KeyList query={list} create={create} onEdit={onEdit} onDelete={onDelete} />
      )}
      {open !== null && <KeyDialogs open={open} onNew={list.reload} onClose={() => setOpen(null)} />}
    </Page>
  )
}

interface KeyListProps {
  readonly query: Loaded<ApiKeysQuery>
  readonly create: ComponentChildren
  readonly onEdit: (key: ApiKey, reload: () => void) => void
  readonly onDelete: (key: ApiKey, reload: () => void) => void
}

function KeyList({ query, create, onEdit, onDelete }: KeyListProps) {
  const { change } = useAddress()
  return (
    <Load query={query} skeleton={<SkeletonRows />}>
      {({ apiKeys: { edges, pageInfo } }) =>
        edges.length === 0 ? (
          <Empty title="No API keys yet" action={create}>
            A program signs in with an API key. Give each program its own, so that you can delete one alone.
          </Empty>
        ) : (
          <>
            <KeysTable
              keys={edges.map(({ node }) => node)}
              onEdit={(key) => onEdit(key, query.reload)}
              onDelete={(key) => onDelete(key, query.reload)}
            />
            <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
          </>
        )
      }
    </Load>
  )
}

interface KeyDialogsProps {
  readonly open: Open
  readonly onNew: () => void
  readonly onClose: () => void
}

function KeyDialogs({ open, onNew, onClose }: KeyDialogsProps) {
  if (open.kind === 'new') return <KeyDialog apiKey={null} onDone={onNew} onClose={onClose} />
  const Dialog = open.kind === 'edit' ? KeyDialog : DeleteDialog
  return <Dialog apiKey={open.key} onDone={open.reload} onClose={onClose} />
}
