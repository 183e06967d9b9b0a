import { at } from '../api/base.ts'
import { now } from '../api/clock.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { MonthUse } from '../parts/month-use.tsx'
import type { ApiKey } from './api-key.ts'
import { scopesInWords } from './scope-words.ts'

const SOON_MS = 14 * 86_400_000

interface KeysTableProps {
  readonly keys: readonly ApiKey[]
  readonly onEdit: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

export const KeysTable = ({ keys, onEdit, onDelete }: KeysTableProps) => (
  <div class="table-box as-cards">
    <table aria-label="API keys">
      <thead>
        <tr>
          <th class="all-room">Name</th>
          <th>Key</th>
          <th>Rights</th>
          <th>Last used</th>
          <th>Expires</th>
          <th aria-sort="descending">Made</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <KeyRow key={key.id} apiKey={key} onEdit={() => onEdit(key)} onDelete={() => onDelete(key)} />
        ))}
      </tbody>
    </table>
  </div>
)

interface KeyRowProps {
  readonly apiKey: ApiKey
  readonly onEdit: () => void
  readonly onDelete: () => void
}

const KeyRow = ({ apiKey, onEdit, onDelete }: KeyRowProps) => (
  <tr>
    <th scope="row" class="clip" title={apiKey.name}>
      <strong dir="auto">{apiKey.name}</strong>
    </th>
    <td>
      <code title={apiKey.id}>{apiKey.hint ? `snt_…${apiKey.hint}` : 'snt_…'}</code>
    </td>
    <td>
      <span class="clip-cell" title={apiKey.scopes.join(', ')}>
        {scopesInWords(apiKey.scopes)}
      </span>
    </td>
    <td data-label="Used">
      <div>
        <Moment at={apiKey.lastUsedAt} empty="never" />
        <MonthUse of={apiKey} />
      </div>
    </td>
    <td data-label="Expires">
      <Expiry at={apiKey.expiresAt ?? null} />
    </td>
    <td data-label="Made">
      <span>
        <Moment at={apiKey.createdAt} />
        {apiKey.createdBy && <Maker email={apiKey.createdBy.email} />}
      </span>
    </td>
    <td class="end">
      <KeyButtons apiKey={apiKey} onEdit={onEdit} onDelete={onDelete} />
    </td>
  </tr>
)

/** The user who made it; there is none of keys that the command line made, or whose user is gone. */
const Maker = ({ email }: { readonly email: string }) => (
  <span class="maker faint small-text" title={email}>
    by <bdi>{email}</bdi>
  </span>
)

const KeyButtons = ({ apiKey: { id, name }, onEdit, onDelete }: KeyRowProps) => (
  <>
    <a class="button quiet small" href={at(`/jobs?key=${id}`)} aria-label={`Jobs of ${name}`}>
      Jobs
    </a>
    <button type="button" class="button quiet small" onClick={onEdit} aria-label={`Change ${name}`}>
      Change
    </button>
    <button type="button" class="button quiet small only-icon" onClick={onDelete} aria-label={`Delete ${name}`}>
      <Icon name="trash" size={14} />
    </button>
  </>
)

/** A key that ends soon, or has, is said so before programs find out. */
function Expiry({ at: end }: { at: string | null }) {
  if (end === null) return <span class="faint">never</span>
  const left = Date.parse(end) - now.value
  if (left <= 0) return <span class="pill bad">expired</span>
  const when = <Moment at={end} isAhead />
  return left < SOON_MS ? <span class="pill warn">{when}</span> : when
}
