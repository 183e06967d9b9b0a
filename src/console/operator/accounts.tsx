import { useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { useQuery } from '../api/use-query.ts'
import { type AccountsQuery, accounts as accountsQuery } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { AccountDialog } from './account-dialog.tsx'
import { OperatorScreen } from './operator-screen.tsx'

type Account = AccountsQuery['accounts']['edges'][number]['node']

const PAGE = 25

/** All accounts with their balances; an operator makes some and grants credits. */
export function AccountsPage() {
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
    change({ search: text.trim(), after: null, before: null })
  }
  return (
    <form class="with-icon" onSubmit={onSubmit}>
      <SearchField label="Accounts by name or id" placeholder="Name or id…" value={text} onText={setText} />
    </form>
  )
}

const AccountsTable = ({
  accounts,
  onGrant,
}: {
  accounts: readonly Account[]
  onGrant: (account: Account) => void
}) => (
  <div class="table-box as-cards">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Id</th>
          <th>Since</th>
          <th class="end">Credits</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <tr key={account.id}>
            <td dir="auto">
              <a href={at(`/operator/jobs?account=${account.id}`)}>
                <strong>{account.name}</strong>
              </a>
            </td>
            <td>
              <ShortId id={account.id} />
            </td>
            <td data-label="Since">
              <Moment at={account.createdAt} />
            </td>
            <td class="end" data-label="Credits">
              {count(account.credits)}
            </td>
            <td class="end">
              <a
                class="button quiet small"
                href={at(`/operator/statistics?account=${account.id}`)}
                aria-label={`Statistics of ${account.name}`}
              >
                Statistics
              </a>
              <a
                class="button quiet small"
                href={at(`/operator/audit?account=${account.id}`)}
                aria-label={`Changes in ${account.name}`}
              >
                Changes
              </a>
              <button
                type="button"
                class="button quiet small"
                aria-label={`Grant credits to ${account.name}`}
                onClick={() => onGrant(account)}
              >
                Grant credits
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
