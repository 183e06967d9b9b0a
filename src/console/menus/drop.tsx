import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon, type IconName } from '../parts/icon.tsx'
import { focusOpener, useCloseOutside } from './use-close-outside.ts'

interface DropProps {
  readonly icon: IconName
  readonly text: string
  readonly isSmall?: boolean
  readonly isWide?: boolean
  /** Links and buttons; a press on one closes the menu. */
  readonly children: ComponentChildren
  readonly onOpen?: () => void
}

/** A button with a menu under it, which closes with a choice, a press elsewhere, or Escape. */
export function Drop({ icon, text, isSmall = false, isWide = false, children, onOpen }: DropProps) {
  const root = useRef<HTMLDetailsElement>(null)
  const isOpen = (): boolean => root.current?.open === true
  const close = (): void => {
    if (root.current) root.current.open = false
  }
  useCloseOutside(root, isOpen, close)
  const onClick = (event: Event): void => {
    if (!(event.target instanceof Element) || event.target.closest('a, button') === null) return
    focusOpener(root.current)
    close()
  }
  const onToggle = (): void => {
    if (!isOpen()) return
    onOpen?.()
    root.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <details ref={root} class="drop" onToggle={onToggle}>
      <summary class={isSmall ? 'button small' : 'button'}>
        <Icon name={icon} size={isSmall ? 14 : 16} /> {text}
      </summary>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys press the links and buttons in it */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: what is pressed are the links and buttons in it */}
      <div class={isWide ? 'drop-body wide' : 'drop-body'} onClick={onClick}>
        {children}
      </div>
    </details>
  )
}
