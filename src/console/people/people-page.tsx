import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { session } from '../api/session.ts'
import { useQuery } from '../api/use-query.ts'
import { useRowWalk } from '../lists/use-row-letters.ts'
import {
  changeRole,
  disableUser,
  enableUser,
  newLink,
  type PagesFragment,
  people as peopleQuery,
  resetPassword,
} from '../operations.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { exactTime, isolated } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { linkOf, type NewLink } from './new-link.ts'
import { PeopleTable } from './people-table.tsx'
import type { Person, PersonAct } from './person.ts'

type Asked = { readonly act: PersonAct; readonly person: Person }

const PAGE = 50

/** The users of the account and their roles. */
export function PeoplePage() {
  useRowWalk()
  const { query, change } = useAddress()
  const [isInviting, setInviting] = useState(false)
  const [asked, setAsked] = useState<Asked | null>(null)
  const [link, setLink] = useState<NewLink | null>(null)
  const page = pageOf(query, PAGE)
  const list = useQuery(peopleQuery, page)
  const actions = (
    <button type="button" class="button primary" onClick={() => setInviting(true)}>
      <Icon name="plus" /> Add a person
    </button>
  )
  return (
    <Page title="People" actions={actions}>
      <Load query={list} skeleton={<SkeletonRows rows={4} />}>
        {({ users: { edges, pageInfo } }) => (
          <>
            <PeopleTable
              people={edges.map(({ node }) => node)}
              ownId={session.value?.user.id ?? ''}
              lastOwnerId={lastOwnerOf(edges, pageInfo)}
              onAct={(act, person) => setAsked({ act, person })}
            />
            {edges.length === 1 && <p class="muted below">Only you so far: add a person who shares this account.</p>}
            <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
          </>
        )}
      </Load>
      {isInviting && <InviteDialog onDone={list.reload} onClose={() => setInviting(false)} onLink={setLink} />}
      {asked !== null && (
        <PersonDialog {...asked} onLink={setLink} onDone={list.reload} onClose={() => setAsked(null)} />
      )}
      {link !== null && <LinkShownOnce link={link} onClose={() => setLink(null)} />}
    </Page>
  )
}

/** Known where all people are on one page. */
function lastOwnerOf(edges: readonly { readonly node: Person }[], pageInfo: PagesFragment): string | null {
  const owners = edges.filter(({ node }) => node.role === 'OWNER' && !node.disabledAt)
  const isWhole = !pageInfo.hasNextPage && !pageInfo.hasPreviousPage
  return isWhole && owners.length === 1 ? (owners[0]?.node.id ?? null) : null
}

const LinkShownOnce = ({ link: { url, expiresAt }, onClose }: { link: NewLink; onClose: () => void }) => (
  <ShownOnce title="The sign-in link" name="sign-in link" done="I have passed it on" value={url} onClose={onClose}>
    {`Hand it to this person alone: it signs in once, until ${exactTime(expiresAt)}. Sonant sends no e-mail.`}
  </ShownOnce>
)

interface PersonDialogProps extends Asked {
  readonly onLink: (link: NewLink) => void
  readonly onDone: () => void
  readonly onClose: () => void
}

function PersonDialog({ act, person, onLink, onDone, onClose }: PersonDialogProps) {
  const [title, action, text] = questionOf(act, person)
  const onConfirm = async (): Promise<void> => {
    const user = person.id
    if (act === 'link') onLink(linkOf((await ask(newLink, { user })).createSignInLink))
    else if (act === 'reset') onLink(linkOf((await ask(resetPassword, { user })).resetPassword.signInLink))
    else if (act === 'disable') await ask(disableUser, { user })
    else if (act === 'enable') await ask(enableUser, { user })
    else await ask(changeRole, { user, role: person.role === 'OWNER' ? 'MEMBER' : 'OWNER' })
    onDone()
  }
  return (
    <ConfirmDialog title={title} action={action} isDanger={act === 'disable'} onConfirm={onConfirm} onClose={onClose}>
      {text}
    </ConfirmDialog>
  )
}

function questionOf(act: PersonAct, person: Person): readonly [title: string, action: string, text: string] {
  const email = isolated(person.email)
  if (act === 'link')
    return ['Make a sign-in link?', 'Make the link', `It signs ${email} in, once and within three days.`]
  if (act === 'reset')
    return [
      'Let this person choose a new password?',
      'Make the link',
      `The password of ${email} stops working at once, and their sessions end. You get a link to hand over: it works once, for three days.`,
    ]
  if (act === 'disable')
    return [
      'Disable this person?',
      'Disable',
      `All sessions of ${email} end, and none can begin until they are enabled again. Keys that they have made go on working: delete those under API keys.`,
    ]
  if (act === 'enable') return ['Enable this person?', 'Enable', `${email} may sign in again.`]
  return person.role === 'OWNER'
    ? [
        'Make a member?',
        'Make a member',
        `${email} keeps jobs and statistics, and no longer sees keys, webhooks, credits and people.`,
      ]
    : ['Make an owner?', 'Make an owner', `${email} may then manage keys, webhooks, credits and people.`]
}
