import { at } from '../api/base.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { now } from '../parts/now.ts'
import type { ApiKey } from './api-key.ts'

const SOON_MS = 14 * 86_400_000

interface KeysTableProps {
  readonly keys: readonly ApiKey[]
  readonly onEdit: (key: ApiKey) => void
  readonly onDelete: (key: ApiKey) => void
}

export const KeysTable = ({ keys, onEdit, onDelete }: KeysTableProps) => (
  <div class="table-box as-cards">
    <table>
      <thead>
        <tr>
          <th>Name</th>
          <th>Key</th>
          <th>Scopes</th>
          <th>Last used</th>
          <th>Expires</th>
          <th class="roomy">Made</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>
              <strong class="clip-cell" dir="auto" title={key.name}>
                {key.name}
              </strong>
            </td>
            <td>
              <code title={key.id}>{key.hint ? `snt_…${key.hint}` : 'snt_…'}</code>
            </td>
            <td>
              <span class="clip-cell" title={key.scopes.join(', ')}>
                {key.scopes.length < 3 ? key.scopes.join(', ') : `${key.scopes[0]} and ${key.scopes.length - 1} more`}
              </span>
            </td>
            <td data-label="Used">
              <Moment at={key.lastUsedAt} empty="never" />
            </td>
            <td data-label="Expires">
              <Expiry at={key.expiresAt ?? null} />
            </td>
            <td class="roomy" data-label="Made">
              <span title={key.createdBy ? `by ${key.createdBy.email}` : undefined}>
                <Moment at={key.createdAt} />
              </span>
            </td>
            <td class="end">
              <a class="button quiet small" href={at(`/jobs?key=${key.id}`)} aria-label={`Jobs of ${key.name}`}>
                Jobs
              </a>
              <button
                type="button"
                class="button quiet small"
                onClick={() => onEdit(key)}
                aria-label={`Change ${key.name}`}
              >
                Change
              </button>
              <button
                type="button"
                class="button quiet small only-icon"
                onClick={() => onDelete(key)}
                aria-label={`Delete ${key.name}`}
              >
                <Icon name="trash" size={14} />
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** A key that ends soon, or has, is said so before programs find out. */
function Expiry({ at: end }: { at: string | null }) {
  if (end === null) return <span class="faint">never</span>
  const left = Date.parse(end) - now.value
  if (left <= 0) return <span class="pill bad">expired</span>
  const when = <Moment at={end} isAhead />
  return left < SOON_MS ? <span class="pill warn">{when}</span> : when
}
