import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { Drop } from '../menus/drop.tsx'
import { rangeOf, WINDOW_OPTIONS } from './time-window.ts'

interface ExportMenuProps {
  /** `/jobs.csv`. */
  readonly file: string
  /** What its rows are, in words. */
  readonly of: string
  /** Windows that are offered, as addresses name them. */
  readonly windows: readonly string[]
  /** Offers the whole as well. */
  readonly isWholeOffered?: boolean
  /** The list is filtered, which these files are not. */
  readonly isListFiltered?: boolean
  /** Further entries. */
  readonly children?: ComponentChildren
}

/** Whole files of windows of time up to the menu's opening, whatever the list is filtered by. The router would take a link without a target for a screen. */
export function ExportMenu({
  file,
  of,
  windows,
  isWholeOffered = false,
  isListFiltered = false,
  children,
}: ExportMenuProps) {
  const [now, setNow] = useState(timeNow)
  return (
    <Drop icon="download" text="Export" isWide onOpen={() => setNow(timeNow())}>
      {children}
      {isListFiltered && <p class="menu-note">The files below leave the list's filters out.</p>}
      {isWholeOffered && (
        <a class="menu-item" href={at(file)} target="_top" download>
          {of}, from the beginning
        </a>
      )}
      {WINDOW_OPTIONS.filter(([name]) => windows.includes(name)).map(([name, text]) => (
        <a key={name} class="menu-item" href={at(`${file}?${windowQuery(name, now)}`)} target="_top" download>
          {of}, {text.toLowerCase()}
        </a>
      ))}
    </Drop>
  )
}

/** Its ends as parameters; one that has not ended yet ends now. */
function windowQuery(name: string, now: number): string {
  const { from, to } = rangeOf(name, now) ?? {}
  return new URLSearchParams({ from: from ?? '', to: to ?? new Date(now).toISOString() }).toString()
}
