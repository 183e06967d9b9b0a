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
          <th class="from-900">Added</th>
          <th class="from-840">Last seen</th>
          <th class="end">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {people.map((person) => (
          <PersonRow
            key={person.id}
            person={person}
            isReader={person.id === ownId}
            onAct={(act) => onAct(act, person)}
          />
        ))}
      </tbody>
    </table>
  </div>
)

interface PersonRowProps {
  readonly person: Person
  readonly isReader: boolean
  readonly onAct: (act: PersonAct) => void
}

const PersonRow = ({ person, isReader, onAct }: PersonRowProps) => (
  <tr>
    <td>
      <span class="row name-cell">
        <strong class="clip-cell" dir="auto" title={person.email}>
          {person.email}
        </strong>
        {isReader && <span class="chip">you</span>}
      </span>
    </td>
    <td>{person.role === 'OWNER' ? 'Owner' : 'Member'}</td>
    <td>
      <PersonState person={person} />
    </td>
    <td class="phone-none from-900">
      <Moment at={person.createdAt} />
    </td>
    <td class="from-840" data-label="Seen">
      <Moment at={person.lastSeenAt} empty="never" />
    </td>
    <td class="end">
      <PersonButtons person={person} onAct={onAct} />
    </td>
  </tr>
)

const PersonState = ({ person: { disabledAt, hasPassword } }: { person: Person }) => {
  if (disabledAt) return <StateMark state="DISABLED" />
  return hasPassword ? <StateMark state="READY" label="active" /> : <span class="pill warn">no password yet</span>
}

const PersonButtons = ({ person, onAct }: { person: Person; onAct: (act: PersonAct) => void }) => {
  const { email, role, disabledAt } = person
  if (disabledAt)
    return (
      <ActButton label={`Enable ${email}`} onClick={() => onAct('enable')}>
        Enable
      </ActButton>
    )
  const otherRole = role === 'OWNER' ? 'Make member' : 'Make owner'
  return (
    <>
      <ActButton label={`Sign-in link for ${email}`} onClick={() => onAct('link')}>
        Sign-in link
      </ActButton>
      <ActButton label={`${otherRole}: ${email}`} onClick={() => onAct('role')}>
        {otherRole}
      </ActButton>
      <ActButton label={`Disable ${email}`} onClick={() => onAct('disable')}>
        Disable
      </ActButton>
    </>
  )
}

interface ActButtonProps {
  /** With the person's address: what it says alone stands in every row. */
  readonly label: string
  readonly children: string
  readonly onClick: () => void
}

const ActButton = ({ label, children, onClick }: ActButtonProps) => (
  <button type="button" class="button quiet small" onClick={onClick} aria-label={label}>
    {children}
  </button>
)
