import { Moment } from '../parts/moment.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import type { Person, PersonAct } from './person.ts'

const LAST_OWNER = 'The account needs an owner: make another person an owner first.'

interface PeopleTableProps {
  readonly people: readonly Person[]
  /** The reader's own id. */
  readonly ownId: string
  /** The one owner who may sign in: the service lets no account lose its last one. Null: there are others, or may be. */
  readonly lastOwnerId: string | null
  readonly onAct: (act: PersonAct, person: Person) => void
}

export const PeopleTable = ({ people, ownId, lastOwnerId, onAct }: PeopleTableProps) => (
  <div class="table-box as-cards">
    <table class="people-table" aria-label="People">
      <thead>
        <tr>
          <th>E-mail address</th>
          <th>Role</th>
          <th>State</th>
          <th class="from-1010" aria-sort="ascending">
            Added
          </th>
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
            isLastOwner={person.id === lastOwnerId}
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
  readonly isLastOwner: boolean
  readonly onAct: (act: PersonAct) => void
}

const PersonRow = ({ person, isReader, isLastOwner, onAct }: PersonRowProps) => (
  <tr>
    <th scope="row">
      <span class="row name-cell">
        <strong class="clip-cell" dir="auto" title={person.email}>
          {person.email}
        </strong>
        {isReader && <span class="chip">you</span>}
      </span>
    </th>
    <td>{person.role === 'OWNER' ? 'Owner' : 'Member'}</td>
    <td>
      <PersonState person={person} />
    </td>
    <td class="phone-none from-1010">
      <Moment at={person.createdAt} />
    </td>
    <td class="from-840" data-label="Seen">
      <Moment at={person.lastSeenAt} empty="never" />
    </td>
    <td class="end">
      <PersonButtons person={person} isReader={isReader} isLastOwner={isLastOwner} onAct={onAct} />
    </td>
  </tr>
)

const PersonState = ({ person: { disabledAt, hasPassword, isFederated } }: { person: Person }) => {
  if (disabledAt) return <StateMark state="DISABLED" />
  return hasPassword || isFederated ? (
    <StateMark state="READY" label="active" />
  ) : (
    <span class="pill warn">no password yet</span>
  )
}

/** Readers change their own password under Profile; the provider keeps that of others. */
const LinkButton = ({ person, isReader, onAct }: Omit<PersonRowProps, 'isLastOwner'>) => {
  const { email, hasPassword, isFederated } = person
  if (isReader || isFederated) return null
  return hasPassword ? (
    <ActButton label={`New password for ${email}`} onClick={() => onAct('reset')}>
      New password
    </ActButton>
  ) : (
    <ActButton label={`Sign-in link for ${email}`} onClick={() => onAct('link')}>
      Sign-in link
    </ActButton>
  )
}

const PersonButtons = ({ person, isReader, isLastOwner, onAct }: PersonRowProps) => {
  const { email, role, disabledAt } = person
  if (disabledAt)
    return (
      <ActButton label={`Enable ${email}`} onClick={() => onAct('enable')}>
        Enable
      </ActButton>
    )
  const reason = isLastOwner ? LAST_OWNER : undefined
  const otherRole = role === 'OWNER' ? 'Make member' : 'Make owner'
  return (
    <>
      <LinkButton person={person} isReader={isReader} onAct={onAct} />
      <ActButton label={`${otherRole}: ${email}`} reason={reason} onClick={() => onAct('role')}>
        {otherRole}
      </ActButton>
      <ActButton label={`Disable ${email}`} reason={reason} onClick={() => onAct('disable')}>
        Disable
      </ActButton>
    </>
  )
}

interface ActButtonProps {
  /** With the person's address: what it says alone stands in every row. */
  readonly label: string
  readonly children: string
  /** Why it is off. */
  readonly reason?: string | undefined
  readonly onClick: () => void
}

const ActButton = ({ label, children, reason, onClick }: ActButtonProps) => (
  <button
    type="button"
    class="button quiet small act"
    aria-disabled={reason !== undefined}
    title={reason}
    onClick={onClick}
    aria-label={label}
  >
    {children}
  </button>
)
