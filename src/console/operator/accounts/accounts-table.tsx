import { at } from '../../api/base.ts'
import type { AccountsQuery } from '../../operations.ts'
import { count } from '../../parts/format.ts'
import { Moment } from '../../parts/moment.tsx'
import { MonthUse } from '../../parts/month-use.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { StateMark } from '../../parts/state-mark.tsx'

export type Account = AccountsQuery['accounts']['edges'][number]['node']

interface AccountsTableProps {
  readonly accounts: readonly Account[]
  readonly onGrant: (account: Account) => void
}

export const AccountsTable = ({ accounts, onGrant }: AccountsTableProps) => (
  <div class="table-box as-cards">
    <table aria-label="Accounts">
      <thead>
        <tr>
          <th>Name</th>
          <th>Id</th>
          <th class="from-900">Since</th>
          <th class="end">Credits</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} onGrant={() => onGrant(account)} />
        ))}
      </tbody>
    </table>
  </div>
)

interface AccountRowProps {
  readonly account: Account
  readonly onGrant: () => void
}

const AccountRow = ({ account, onGrant }: AccountRowProps) => (
  <tr>
    <th scope="row" dir="auto">
      <a href={at(`/operator/accounts/${account.id}`)} title={account.name}>
        <strong class="clip-cell">{account.name}</strong>
      </a>{' '}
      {account.disabledAt && <StateMark state="DISABLED" />}
    </th>
    <td>
      <ShortId id={account.id} />
    </td>
    <td class="from-900" data-label="Since">
      <Moment at={account.createdAt} />
    </td>
    <td class="end" data-label="Credits">
      <div>
        {count(account.credits)}
        <MonthUse of={account} />
      </div>
    </td>
    <td class="end">
      <AccountButtons account={account} onGrant={onGrant} />
    </td>
  </tr>
)

const AccountButtons = ({ account: { id, name }, onGrant }: AccountRowProps) => (
  <>
    <a class="button quiet small" href={at(`/operator/statistics?account=${id}`)} aria-label={`Statistics of ${name}`}>
      Statistics
    </a>
    <a class="button quiet small" href={at(`/operator/audit?account=${id}`)} aria-label={`Changes in ${name}`}>
      Changes
    </a>
    <button type="button" class="button quiet small" aria-label={`Add credits to ${name}`} onClick={onGrant}>
      Add credits
    </button>
  </>
)
