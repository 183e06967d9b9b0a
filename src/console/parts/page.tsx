import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { LiveMark } from '../shell/live-mark.tsx'
import { showPalette } from '../shell/palette/palette.ts'
import { Icon } from './icon.tsx'

interface PageProps {
  readonly title: string
  /** Above the title: where this lies. */
  readonly crumb?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
  readonly isNarrow?: boolean
  /** The reader has paused the live updates. */
  readonly isPaused?: boolean
}

let hasMoved = false

/** A page was there before: the first heading takes the focus as well. */
export const noteMove = (): void => {
  hasMoved = true
}

/** A screen: its title in the window and as a heading that takes the focus at every navigation but the first. */
export function Page({ title, crumb, actions, children, isNarrow, isPaused = false }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (hasMoved) heading.current?.focus({ preventScroll: true })
    hasMoved = true
  }, [])
  useEffect(() => {
    document.title = `${title} · Sonant`
  }, [title])
  return (
    <>
      <header class="top-bar">
        <div class="top-title">
          {crumb}
          <h1 ref={heading} tabIndex={-1} title={title}>
            {title}
          </h1>
        </div>
        <button
          type="button"
          class="button quiet only-icon find-button"
          aria-label="Search"
          title="Search (Ctrl K)"
          onClick={showPalette}
        >
          <Icon name="search" />
        </button>
        <LiveMark isPaused={isPaused} />
        <div class="top-actions">{actions}</div>
      </header>
      <main id="main" class={isNarrow ? 'content narrow' : 'content'}>
        {children}
      </main>
    </>
  )
}

/** For what has the focus and is about to go. */
export const focusHeading = (): void => document.querySelector('h1')?.focus({ preventScroll: true })

/** The way back to the list. */
export const Crumb = ({ href, children }: { href: string; children: string }) => (
  <a class="crumb" href={href}>
    {children}
  </a>
)
