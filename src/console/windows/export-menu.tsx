import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { Drop } from '../menus/drop.tsx'
import { type JobsFilter, windowJobs } from '../operations.ts'
import { count } from '../parts/format.ts'
import { rangeOf, WINDOW_OPTIONS } from './time-window.ts'

const DAY_MS = 86_400_000
/** The longest time of one file, in days. */
const MOST_DAYS = 366
/** Before any job. */
const BEGINNING = '2020-01-01T00:00:00.000Z'
/** Windows of time that files hold. */
const OPTIONS = [...WINDOW_OPTIONS, ['365d', 'Last 365 days']] as const

interface ExportMenuProps {
  /** `/jobs.csv`. */
  readonly file: string
  /** Its rows in words. */
  readonly of: string
  /** Windows that are offered, as addresses name them, unless the filter has one of its own. */
  readonly windows: readonly string[]
  /** Offers the whole as well: its files have no limit. Those of jobs have one, so their rows are counted. */
  readonly isWholeOffered?: boolean
  /** The filter of the list; the files hold the same jobs. */
  readonly filter?: JobsFilter
  /** The filter as parameters of the file's address. */
  readonly query?: Readonly<Record<string, string>>
}

/** One file that is offered. */
interface Offered {
  readonly name: string
  readonly text: string
  readonly from: string
  readonly to: string
}

const TOO_LONG = (
  <p class="menu-note">A file holds the jobs of at most {MOST_DAYS} days: give the list a later beginning.</p>
)

/** Files of windows of time up to the menu's opening, of what the list is filtered to. The router would take a link without a target for a screen. */
export function ExportMenu({ file, of, windows, isWholeOffered = false, filter = {}, query = {} }: ExportMenuProps) {
  const [now, setNow] = useState(timeNow)
  const [counts, setCounts] = useState<Readonly<Record<string, Counted>>>({})
  const offered = offeredFiles(of, windows, filter, now)
  const onOpen = (): void => {
    const opened = timeNow()
    setNow(opened)
    setCounts({})
    if (isWholeOffered) return
    for (const { name, from, to } of offeredFiles(of, windows, filter, opened))
      countOf({ ...filter, createdAt: { from, to } }, (counted) =>
        setCounts((before) => ({ ...before, [name]: counted })),
      )
  }
  const tooMany = Object.values(counts).find(isTooMany)
  return (
    <Drop icon="download" text="Export" isWide onOpen={onOpen}>
      {Object.keys(query).length > 0 && <p class="menu-note">The files hold the jobs that the list is filtered to.</p>}
      {isWholeOffered && (
        <a class="menu-item" href={at(file)} target="_top" download>
          {of}, from the beginning
        </a>
      )}
      {offered.map((one) => (
        <WindowFile
          key={one.name}
          href={at(`${file}?${new URLSearchParams({ from: one.from, to: one.to, ...query })}`)}
          text={one.text}
          isTooLong={isTooLong(one)}
          counted={counts[one.name]}
        />
      ))}
      {tooMany !== undefined && (
        <p class="menu-note">A file holds at most {count(tooMany.most)} jobs: choose a shorter time.</p>
      )}
      {offered.some(isTooLong) && TOO_LONG}
    </Drop>
  )
}

/** One file with the list's own time if it has one, otherwise one file for each window. */
function offeredFiles(of: string, windows: readonly string[], { createdAt }: JobsFilter, now: number): Offered[] {
  const end = new Date(now).toISOString()
  if (createdAt) {
    const [from, to] = [String(createdAt.from ?? BEGINNING), String(createdAt.to ?? end)]
    return [{ name: 'listed', text: `${of}, of the time of the list`, from, to }]
  }
  return OPTIONS.filter(([name]) => windows.includes(name)).map(([name, text]) => {
    const { from, to } = rangeOf(name, now) ?? {}
    return { name, text: `${of}, ${text.toLowerCase()}`, from: String(from ?? ''), to: String(to ?? end) }
  })
}

const isTooLong = ({ from, to }: Offered): boolean => Date.parse(to) - Date.parse(from) > MOST_DAYS * DAY_MS

/** Where it is not answered, the service itself refuses too much. */
const countOf = (filter: JobsFilter, onCount: (counted: Counted) => void): void =>
  void ask(windowJobs, { filter }).then(
    ({ jobs, service }) => onCount({ jobs: jobs.totalCount, most: service.limits.exportJobs }),
    () => {},
  )

interface Counted {
  readonly jobs: number
  /** The most jobs of one file. */
  readonly most: number
}

const isTooMany = ({ jobs, most }: Counted): boolean => jobs > most

interface WindowFileProps {
  readonly href: string
  readonly text: string
  readonly isTooLong: boolean
  /** How many are in it, where that is counted and known. */
  readonly counted: Counted | undefined
}

function WindowFile({ href, text, isTooLong, counted }: WindowFileProps) {
  const jobs = counted?.jobs
  const entry = (
    <>
      <span class="grow">{text}</span>
      {jobs !== undefined && <span class="figure muted">{`${count(jobs)} ${jobs === 1 ? 'job' : 'jobs'}`}</span>}
    </>
  )
  return isTooLong || (counted !== undefined && isTooMany(counted)) ? (
    <button type="button" class="menu-item" disabled>
      {entry}
    </button>
  ) : (
    <a class="menu-item" href={href} target="_top" download>
      {entry}
    </a>
  )
}
