import { useRef, useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { session, signOut } from '../api/session.ts'
import { useAction } from '../api/use-action.ts'
import { focusOpener, useCloseOutside } from '../menus/use-close-outside.ts'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Reason } from '../parts/failure.tsx'
import { Segments } from '../parts/field.tsx'
import { count, initial, isolated } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { balance } from './balance.ts'
import { showPalette } from './palette/palette.ts'
import type { Section } from './sections.ts'
import { theme } from './theme.ts'
import { unsaved } from './unsaved.ts'

interface MenuProps {
  /** Not in the bar of a phone. */
  readonly spare: readonly Section[]
  /** The service's version, once it is known. */
  readonly version: string | undefined
}

/** At the foot of the rail: whose account this is, its balance, and what concerns the user alone. */
export function AccountMenu(menu: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const me = session.value
  useCloseOutside(
    root,
    () => root.current?.querySelector('[aria-expanded=true]') !== null,
    () => setOpen(false),
  )
  const close = (): void => {
    focusOpener(root.current)
    setOpen(false)
  }
  return (
    <div class="account" ref={root}>
      <button
        type="button"
        class="account-button"
        title={`Account ${isolated(me?.accountName ?? '')}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="avatar" aria-hidden="true">
          {initial(me?.accountName ?? '')}
        </span>
        <span class="account-words">
          <span class="account-name" dir="auto">
            {me?.accountName}
          </span>
          <span class="account-balance">{count(balance.value)} credits</span>
        </span>
        <span class="more-word">More</span>
      </button>
      {isOpen && <MenuPanel {...menu} onClose={close} />}
    </div>
  )
}

interface PanelProps extends MenuProps {
  readonly onClose: () => void
}

function MenuPanel({ spare, version, onClose }: PanelProps) {
  const thenShow = (show: () => void): void => {
    onClose()
    show()
  }
  return (
    <div class="menu">
      <p class="menu-head">
        <strong dir="auto">{session.value?.user.email}</strong>
        <span class="faint">{count(balance.value)} credits</span>
      </p>
      <div class="menu-spare">
        {spare.map(({ path, name, icon }) => (
          <a key={path} class="menu-item" href={at(path)} onClick={onClose}>
            <Icon name={icon} /> {name}
          </a>
        ))}
        <button type="button" class="menu-item" onClick={() => thenShow(showPalette)}>
          <Icon name="search" /> Search
        </button>
      </div>
      <ThemeSwitch />
      <a class="menu-item" href={at('/profile')} onClick={onClose}>
        <Icon name="profile" /> Profile
      </a>
      <a class="menu-item" href={at('/help')} onClick={onClose}>
        <Icon name="help" /> Help
        {version !== undefined && <span class="menu-version">v{version}</span>}
      </a>
      <SignOutItem />
    </div>
  )
}

/** Asks first where something would be lost. */
function SignOutItem() {
  const [isAsking, setAsking] = useState(false)
  const leave = useAction(() => signOut(false, at('/')))
  const onClick = (): void => (unsaved.value === null ? void leave.run() : setAsking(true))
  return (
    <>
      <button type="button" class="menu-item" aria-disabled={leave.isOff} onClick={onClick}>
        <Icon name="signOut" /> {leave.isRunning ? 'Signing out…' : 'Sign out'}
      </button>
      {leave.failure !== null && (
        <p class="hint bad" role="alert">
          You may still be signed in. <Reason failure={leave.failure} />
        </p>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Sign out?"
          action="Sign out"
          isDanger
          onConfirm={() => signOut(false, at('/'))}
          onClose={() => setAsking(false)}
        >
          {unsaved.value}
        </ConfirmDialog>
      )}
    </>
  )
}

const ThemeSwitch = () => (
  <Segments
    label="Colours"
    value={theme.value}
    onChange={(value) => {
      theme.value = value
    }}
    options={[
      ['system', <IconWord key="s" icon="system" word="System" />],
      ['light', <IconWord key="l" icon="sun" word="Light" />],
      ['dark', <IconWord key="d" icon="moon" word="Dark" />],
    ]}
  />
)

const IconWord = ({ icon, word }: { icon: 'system' | 'sun' | 'moon'; word: string }) => (
  <>
    <Icon name={icon} size={14} /> {word}
  </>
)
