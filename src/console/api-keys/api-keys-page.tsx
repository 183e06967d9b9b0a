import { useEffect, useState } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { apiKeys as apiKeysQuery } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import type { ApiKey } from './api-key.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { KeyDialog } from './key-dialog.tsx'
import { KeysTable } from './keys-table.tsx'

type Open = { readonly kind: 'new' } | { readonly kind: 'edit' | 'delete'; readonly key: ApiKey }

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
  const { query, change } = useAddress()
  const [open, setOpen] = useOpen()
  const page = pageOf(query, PAGE)
  const list = useQuery(apiKeysQuery, page)
  useFocusReload(list.reload)
  const create = (
    <button type="button" class="button primary" onClick={() => setOpen({ kind: 'new' })}>
      <Icon name="plus" /> Create a key
    </button>
  )
  return (
    <Page title="API keys" actions={create}>
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ apiKeys: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <Empty title="No API keys yet" action={create}>
              A program sends an API key with each request. Give each program its own, so that one can be revoked alone.
            </Empty>
          ) : (
            <>
              <KeysTable
                keys={edges.map(({ node }) => node)}
                onEdit={(key) => setOpen({ kind: 'edit', key })}
                onDelete={(key) => setOpen({ kind: 'delete', key })}
              />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
            </>
          )
        }
      </Load>
      {open?.kind === 'new' && <KeyDialog apiKey={null} onDone={list.reload} onClose={() => setOpen(null)} />}
      {open?.kind === 'edit' && <KeyDialog apiKey={open.key} onDone={list.reload} onClose={() => setOpen(null)} />}
      {open?.kind === 'delete' && <DeleteDialog apiKey={open.key} onDone={list.reload} onClose={() => setOpen(null)} />}
    </Page>
  )
}
