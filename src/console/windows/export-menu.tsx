import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { Drop } from '../menus/drop.tsx'
import { windowJobs } from '../operations.ts'
import { count } from '../parts/format.ts'
import { rangeOf, WINDOW_OPTIONS } from './time-window.ts'

interface ExportMenuProps {
  /** `/jobs.csv`. */
  readonly file: string
  /** What its rows are, in words. */
  readonly of: string
  /** Windows that are offered, as addresses name them. */
  readonly windows: readonly string[]
  /** Offers the whole as well: its files have no limit. Those of jobs have one, so their rows are counted. */
  readonly isWholeOffered?: boolean
  /** The list is filtered, which these files are not. */
  readonly isListFiltered?: boolean
  /** Further entries. */
  readonly children?: ComponentChildren
}

/** Whole files of windows of time up to the menu's opening, whatever the list is filtered by. The router would take a link without a target for a screen. */
export function ExportMenu(props: ExportMenuProps) {
  const { file, of, windows, isWholeOffered = false, isListFiltered = false, children } = props
  const [now, setNow] = useState(timeNow)
  const [counts, setCounts] = useState<Readonly<Record<string, Counted>>>({})
  const onOpen = (): void => {
    const opened = timeNow()
    setNow(opened)
    if (isWholeOffered) return
    for (const name of windows)
      countOf(endsOf(name, opened), (counted) => setCounts((before) => ({ ...before, [name]: counted })))
  }
  const tooMany = Object.values(counts).find(isTooMany)
  return (
    <Drop icon="download" text="Export" isWide onOpen={onOpen}>
      {children}
      {isListFiltered && <p class="menu-note">The files below leave the list's filters out.</p>}
      {isWholeOffered && (
        <a class="menu-item" href={at(file)} target="_top" download>
          {of}, from the beginning
        </a>
      )}
      {WINDOW_OPTIONS.filter(([name]) => windows.includes(name)).map(([name, text]) => (
        <WindowFile
          key={name}
          href={at(`${file}?${new URLSearchParams(endsOf(name, now))}`)}
          text={`${of}, ${text.toLowerCase()}`}
          counted={counts[name]}
        />
      ))}
      {tooMany !== undefined && (
        <p class="menu-note">A file holds at most {count(tooMany.most)} jobs: choose a shorter time.</p>
      )}
    </Drop>
  )
}

/** Where it is not answered, the service itself refuses too much. */
const countOf = (createdAt: { from: string; to: string }, onCount: (counted: Counted) => void): void =>
  void ask(windowJobs, { filter: { createdAt } }).then(
    ({ jobs, service }) => onCount({ jobs: jobs.totalCount, most: service.limits.exportJobs }),
    () => {},
  )

interface Counted {
  readonly jobs: number
  /** That one file holds. */
  readonly most: number
}

const isTooMany = ({ jobs, most }: Counted): boolean => jobs > most

/** The ends of a window; one that has not ended yet ends now. */
function endsOf(name: string, now: number): { from: string; to: string } {
  const { from, to } = rangeOf(name, now) ?? {}
  return { from: from ?? '', to: to ?? new Date(now).toISOString() }
}

interface WindowFileProps {
  readonly href: string
  readonly text: string
  /** How many are in it, where that is counted and known. */
  readonly counted: Counted | undefined
}

function WindowFile({ href, text, counted }: WindowFileProps) {
  const jobs = counted?.jobs
  const entry = (
    <>
      <span class="grow">{text}</span>
      {jobs !== undefined && <span class="figure muted">{`${count(jobs)} ${jobs === 1 ? 'job' : 'jobs'}`}</span>}
    </>
  )
  return counted !== undefined && isTooMany(counted) ? (
    <button type="button" class="menu-item" disabled>
      {entry}
    </button>
  ) : (
    <a class="menu-item" href={href} target="_top" download>
      {entry}
    </a>
  )
}
