import { Moment } from '../parts/moment.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import type { Person, PersonAct } from './person.ts'

interface PeopleTableProps {
  readonly people: readonly Person[]
  /** Of the reader. */
  readonly ownId: string
  readonly onAct: (act: PersonAct, person: Person) => void
}

export const PeopleTable = ({ people, ownId, onAct }: PeopleTableProps) => (
  <div class="table-box as-cards">
    <table>
      <thead>
        <tr>
          <th>Address</th>
          <th>Role</th>
          <th>State</th>
          <th class="roomy">Added</th>
          <th>Last seen</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <tr key={person.id}>
            <td>
              <span class="row name-cell">
                <strong class="clip-cell" dir="auto" title={person.email}>
                  {person.email}
                </strong>
                {person.id === ownId && <span class="chip">you</span>}
              </span>
            </td>
            <td>{person.role === 'OWNER' ? 'Owner' : 'Member'}</td>
            <td>
              <PersonState person={person} />
            </td>
            <td class="phone-none roomy">
              <Moment at={person.createdAt} />
            </td>
            <td data-label="Seen">
              <Moment at={person.lastSeenAt} empty="never" />
            </td>
            <td class="end">
              <PersonButtons person={person} onAct={(act) => onAct(act, person)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const PersonState = ({ person: { disabledAt, hasPassword } }: { person: Person }) => {
  if (disabledAt) return <StateMark state="DISABLED" />
  return hasPassword ? <StateMark state="READY" label="active" /> : <span class="pill warn">no password yet</span>
}

const PersonButtons = ({ person, onAct }: { person: Person; onAct: (act: PersonAct) => void }) => {
  if (person.disabledAt)
    return (
      <button
        type="button"
        class="button quiet small"
        onClick={() => onAct('enable')}
        aria-label={`Enable ${person.email}`}
      >
        Enable
      </button>
    )
  return (
    <>
      <button
        type="button"
        class="button quiet small"
        onClick={() => onAct('link')}
        aria-label={`Sign-in link for ${person.email}`}
      >
        Sign-in link
      </button>
      <button
        type="button"
        class="button quiet small"
        onClick={() => onAct('role')}
        aria-label={`${person.role === 'OWNER' ? 'Make member' : 'Make owner'}: ${person.email}`}
      >
        {person.role === 'OWNER' ? 'Make member' : 'Make owner'}
      </button>
      <button
        type="button"
        class="button quiet small"
        onClick={() => onAct('disable')}
        aria-label={`Disable ${person.email}`}
      >
        Disable
      </button>
    </>
  )
}
