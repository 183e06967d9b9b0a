import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../api/base.ts'
import { isOperator, isOwner, session } from '../api/session.ts'
import { Announcements } from '../parts/announcements.tsx'
import { Toasts } from '../parts/toast.tsx'
import { followAccount } from './account-live.ts'
import { balance } from './balance.ts'
import { Banners } from './banners.tsx'
import { BrokenScreen } from './broken-screen.tsx'
import { ConfirmationScreen } from './confirmation/confirmation-screen.tsx'
import { HeldPage } from './held-page.tsx'
import { areShortcutsOn, showHelp } from './help/help.ts'
import { HelpScreen } from './help/help-screen.tsx'
import { showPalette } from './palette/palette.ts'
import { PaletteScreen } from './palette/palette-screen.tsx'
import { Rail } from './rail.tsx'
import { sectionsFor } from './sections.ts'
import { createShortcuts, takesText } from './shortcuts.ts'

/** The frame of every screen of a signed-in user. */
export function Shell({ children }: { children: ComponentChildren }) {
  useShortcuts()
  const me = session.value
  useEffect(() => {
    if (me) balance.value = me.credits
  }, [me])
  const owns = isOwner.value
  useEffect(() => followAccount(owns), [me?.user.id, owns])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Rail />
      <div class="stage">
        <Banners />
        <BrokenScreen>{children}</BrokenScreen>
      </div>
      <HelpScreen />
      <PaletteScreen />
      <ConfirmationScreen />
      <HeldPage />
      <Announcements />
      <Toasts />
    </div>
  )
}

function useShortcuts(): void {
  const { route } = useLocation()
  const owns = isOwner.value
  const operates = isOperator.value
  useLayoutEffect(() => {
    const sections = sectionsFor(owns, operates).flatMap((group) => group.sections)
    const press = createShortcuts(
      Object.fromEntries(sections.map(({ letter, path }) => [letter, path])),
      { go: (path) => route(at(path)), showHelp, search },
      () => performance.now(),
    )
    const onKey = (event: KeyboardEvent): void => {
      if (document.querySelector('dialog[open]') !== null) return
      const { key, ctrlKey, metaKey, altKey } = event
      if (key === 'k' && (ctrlKey || metaKey)) {
        event.preventDefault()
        showPalette()
      } else if (areShortcutsOn.value) {
        const isTyping = takesText(document.activeElement)
        if (press({ key, ctrlKey, metaKey, altKey, isTyping })) event.preventDefault()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [owns, operates])
}

function search(): void {
  const field = document.querySelector<HTMLElement>('[data-search]')
  if (field === null) showPalette()
  else field.focus()
}
