import { at } from '../../api/base.ts'
import { now } from '../../api/clock.ts'
import { useQuery } from '../../api/use-query.ts'
import { scopeInWords } from '../../api-keys/scope-words.ts'
import { type AccountHoldersQuery, accountHolders } from '../../operations.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StateMark } from '../../parts/state-mark.tsx'

/** The people and keys of an account. */
export function AccountHolders({ id }: { id: string }) {
  const query = useQuery(accountHolders, { account: id })
  return (
    <Load query={query} skeleton={<SkeletonRows rows={3} />}>
      {({ users, apiKeys }) => (
        <div class="halves flush">
          <People users={users} />
          <Keys id={id} apiKeys={apiKeys} />
        </div>
      )}
    </Load>
  )
}

const People = ({ users: { edges, pageInfo } }: Pick<AccountHoldersQuery, 'users'>) => (
  <section class="card">
    <div class="card-head">
      <h2>People</h2>
      {pageInfo.hasNextPage && <p>The first 50</p>}
    </div>
    {edges.length === 0 ? (
      <p class="card-body muted">Nobody signs in to this account.</p>
    ) : (
      <div class="table-box as-cards">
        <table aria-label="People">
          <thead>
            <tr>
              <th>E-mail address</th>
              <th>Role</th>
              <th>Last seen</th>
            </tr>
          </thead>
          <tbody>
            {edges.map(({ node }) => (
              <PersonLine key={node.id} person={node} />
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

type Person = AccountHoldersQuery['users']['edges'][number]['node']

const PersonLine = ({ person }: { person: Person }) => (
  <tr>
    <th scope="row" class="wrap-anywhere" dir="auto">
      {person.email}
    </th>
    <td>{person.role === 'OWNER' ? 'Owner' : 'Member'}</td>
    <td data-label="Seen">
      {person.disabledAt ? (
        <StateMark state="DISABLED" />
      ) : (
        <Moment at={person.lastSeenAt} empty={person.hasPassword || person.isFederated ? 'never' : 'no password yet'} />
      )}
    </td>
  </tr>
)

type Key = AccountHoldersQuery['apiKeys']['edges'][number]['node']

/** The scopes of its keys are what the account may do: restricted endpoints ask for some of their own. */
const Keys = ({ id, apiKeys: { edges, pageInfo } }: Pick<AccountHoldersQuery, 'apiKeys'> & { id: string }) => (
  <section class="card">
    <div class="card-head">
      <h2>API keys</h2>
      {pageInfo.hasNextPage && <p>The newest 50</p>}
    </div>
    {edges.length === 0 ? (
      <p class="card-body muted">It has no keys: no program submits jobs for it.</p>
    ) : (
      <div class="table-box as-cards">
        <table aria-label="API keys">
          <thead>
            <tr>
              <th>Name</th>
              <th>Rights</th>
              <th>Last used</th>
            </tr>
          </thead>
          <tbody>
            {edges.map(({ node }) => (
              <KeyLine key={node.id} account={id} apiKey={node} />
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const KeyLine = ({ account, apiKey }: { account: string; apiKey: Key }) => (
  <tr>
    <th scope="row" class="wrap-anywhere">
      <a href={at(`/operator/jobs?account=${account}&key=${apiKey.id}`)} title={apiKey.id}>
        <bdi>{apiKey.name}</bdi>
      </a>{' '}
      {apiKey.hint && <code>…{apiKey.hint}</code>}
    </th>
    <td class="wrap" title={apiKey.scopes.join(', ')}>
      {apiKey.scopes.map(scopeInWords).join(', ')}
    </td>
    <td data-label="Used">
      {apiKey.expiresAt && Date.parse(apiKey.expiresAt) <= now.value ? (
        <span class="pill bad">expired</span>
      ) : (
        <Moment at={apiKey.lastUsedAt} empty="never" />
      )}
    </td>
  </tr>
)
