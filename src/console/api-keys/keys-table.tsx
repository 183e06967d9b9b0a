import { at } from '../api/base.ts'
import { Icon } from '../parts/icon.tsx'
import { Moment } from '../parts/moment.tsx'
import { ShortId } from '../parts/short-id.tsx'
import type { ApiKey } from './api-key.ts'
import { SCOPES } from './scope-words.ts'

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
          <th>May</th>
          <th>Made</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td>
              <strong dir="auto">{key.name}</strong>
            </td>
            <td>
              <ShortId id={key.id} href={at(`/jobs?key=${key.id}`)} />
            </td>
            <td class="wrap">
              <span class="row">
                {key.scopes.map((scope) => (
                  <span key={scope} class="chip" title={SCOPES[scope] ?? 'A scope of your operator'}>
                    {scope}
                  </span>
                ))}
              </span>
            </td>
            <td>
              <Moment at={key.createdAt} />
            </td>
            <td class="end">
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
