import { useState } from 'preact/hooks'
import { useQuery } from '../api/use-query.ts'
import { type AccountsQuery, accounts as accountsQuery } from '../operations.ts'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Pager } from '../parts/pager.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { useAddress } from '../parts/use-address.ts'
import { AccountDialog } from './account-dialog.tsx'

type Account = AccountsQuery['accounts']['edges'][number]['node']

const PAGE = 25

/** All accounts with their balances; an operator makes some and grants credits. */
export function Accounts() {
  const { query, change } = useAddress()
  const [open, setOpen] = useState<Account | 'new' | null>(null)
  const page = query.before
    ? { last: PAGE, before: query.before }
    : { first: PAGE, ...(query.after && { after: query.after }) }
  const list = useQuery(accountsQuery, page)
  return (
    <section class="section" aria-labelledby="accounts">
      <div class="row spread section-head">
        <h2 id="accounts">Accounts</h2>
        <button type="button" class="button primary" onClick={() => setOpen('new')}>
          <Icon name="plus" /> Create an account
        </button>
      </div>
      <Load query={list} skeleton={<SkeletonRows rows={4} />}>
        {({ accounts: { edges, pageInfo } }) => (
          <>
            <AccountsTable accounts={edges.map(({ node }) => node)} onGrant={setOpen} />
            <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
          </>
        )}
      </Load>
      {open !== null && (
        <AccountDialog account={open === 'new' ? null : open} onDone={list.reload} onClose={() => setOpen(null)} />
      )}
    </section>
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
              <strong>{account.name}</strong>
            </td>
            <td>
              <ShortId id={account.id} />
            </td>
            <td class="end" data-label="Credits">
              {count(account.credits)}
            </td>
            <td class="end">
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
