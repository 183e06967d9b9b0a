import { useState } from 'preact/hooks'
import { useQuery } from '../../api/use-query.ts'
import { ClearFilters } from '../../jobs/jobs-toolbar.tsx'
import { useRowWalk } from '../../lists/use-row-letters.ts'
import { accounts as accountsQuery } from '../../operations.ts'
import { Empty } from '../../parts/empty.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Pager } from '../../parts/pager.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { pageOf, useAddress } from '../../parts/use-address.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { type Account, AccountsTable } from './accounts-table.tsx'

const PAGE = 25
const TO_START = { after: null, before: null }

/** All accounts with their balances; an operator makes some and grants credits. */
export function AccountsPage() {
  useRowWalk()
  const { query, change } = useAddress()
  const [open, setOpen] = useState<Account | 'new' | null>(null)
  const page = pageOf(query, PAGE)
  const list = useQuery(accountsQuery, { ...page, ...(query.search && { search: query.search }) })
  const actions = (
    <button type="button" class="button primary" onClick={() => setOpen('new')}>
      <Icon name="plus" /> Create an account
    </button>
  )
  return (
    <OperatorScreen title="Accounts" tab="accounts" actions={actions}>
      <div class="toolbar">
        <AccountSearch key={query.search ?? ''} />
      </div>
      <Load query={list} skeleton={<SkeletonRows rows={4} />}>
        {({ accounts: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <Empty title="No account matches">
              Accounts are found by a part of their name, or the beginning of their id.
            </Empty>
          ) : (
            <>
              <AccountsTable accounts={edges.map(({ node }) => node)} onGrant={setOpen} />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
            </>
          )
        }
      </Load>
      {open !== null && (
        <AccountDialog account={open === 'new' ? null : open} onDone={list.reload} onClose={() => setOpen(null)} />
      )}
    </OperatorScreen>
  )
}

function AccountSearch() {
  const { query, change } = useAddress()
  const [text, setText] = useState(query.search ?? '')
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    change({ search: text.trim(), ...TO_START })
  }
  return (
    <>
      <form class="with-icon" onSubmit={onSubmit}>
        <SearchField label="Accounts by name or id" placeholder="Name or id…" value={text} onText={setText} />
      </form>
      {query.search && <ClearFilters onClear={() => change({ search: null, ...TO_START })} />}
    </>
  )
}
