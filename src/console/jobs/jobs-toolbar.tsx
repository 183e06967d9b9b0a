import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { at } from '../api/base.ts'
import { keyNames } from '../lists/key-names.ts'
import { LinkedEnds } from '../lists/linked-ends.tsx'
import { PauseButton } from '../lists/pause-button.tsx'
import { PersonChip } from '../lists/person-chip.tsx'
import { RemovableChips } from '../lists/removable-chips.tsx'
import { Fold } from '../menus/fold.tsx'
import type { JobCountsQuery } from '../operations.ts'
import { Segments } from '../parts/field.tsx'
import { sentence, shortCount, shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { useAddress } from '../parts/use-address.ts'
import { useFile } from '../shell/use-file.ts'
import { OwnWindow } from '../windows/own-window.tsx'
import { WINDOW_OPTIONS } from '../windows/time-window.ts'
import { placeOf } from './jobs-address.ts'
import { ERRORS, FILTERS, isFiltered, STATUSES, TYPES } from './jobs-filter.ts'

const TO_START = { after: null, before: null }
const ENDS = { from: null, to: null }
/** No chip shows these. */
const CHOSEN = ['window', 'type', 'error']

/** A tab a status, with its count under the other filters, which stay when it changes; and how the list is shown. Null: the counts are not known. */
export function StatusTabs({ counts }: { counts: JobCountsQuery['jobStats'] | null }) {
  const { query, change } = useAddress()
  const tab = (text: string, status?: string) => {
    const groups = counts?.filter((group) => (status ?? group.status) === group.status)
    const jobs = groups?.reduce((sum, group) => sum + group.jobs, 0)
    return (
      <>
        {text}{' '}
        {jobs !== undefined && <span class={jobs === 0 ? 'figure phone-none' : 'figure'}>{shortCount(jobs)}</span>}
      </>
    )
  }
  const options = STATUSES.map((status) => [status.toLowerCase(), tab(sentence(status), status)] as const)
  return (
    <div class="toolbar">
      <Segments
        label="Status"
        value={query.status ?? ''}
        onChange={(status) => change({ status, ...TO_START })}
        options={[['', tab('All')], ...options]}
      />
      <span class="grow" />
      <div class="list-view">
        <Choice name="sort" label="Newest first" options={SORT_NAMES} />
        <PauseButton />
      </div>
    </div>
  )
}

export function JobsToolbar() {
  const { query, change } = useAddress()
  const cleared = Object.fromEntries(FILTERS.map((name) => [name, null]))
  // Most visits filter by neither: they have a file of their own.
  const fields = useFile(true, () => import('../lists/job-fields.tsx'), noFields)
  return (
    <div class="toolbar filters">
      <JobSearch key={`${query.words ?? ''} ${query.search ?? ''}`} hasWords />
      <Fold set={CHOSEN.filter((name) => query[name]).length}>
        <FilterChoices />
        {fields && <fields.JobFields hasTag />}
      </Fold>
      <LinkedFilters />
      {isFiltered(query) && <ClearFilters onClear={() => change({ ...cleared, ...TO_START })} />}
    </div>
  )
}

/** Without them the other filters stay. */
const noFields = (): void => {}

/** The filters by names, each to be taken away. */
export function LinkedFilters() {
  const { query } = useAddress()
  const shown = [
    ['endpoint', query.endpoint],
    ['tag', query.tag],
    ['key', query.key && (keyNames.value.get(query.key) ?? shortId(query.key))],
  ] as const
  return (
    <>
      <RemovableChips filters={shown} />
      {query.user && <PersonChip id={query.user} />}
      <LinkedEnds />
    </>
  )
}

/** The filters that have a few values each. */
export const FilterChoices = () => (
  <>
    <Choice name="window" label="Any time" options={WINDOW_OPTIONS} clears={ENDS} />
    <OwnWindow />
    <Choice name="type" label="Any type" options={TYPES.map((type) => [type.toLowerCase(), sentence(type)])} />
    <Choice name="error" label="Any error" options={ERRORS.map((error) => [error.toLowerCase(), sentence(error)])} />
  </>
)

/** Parts of an old link that mean nothing any more: they are taken out of the address at a press. */
export function DroppedNotice({ names }: { names: readonly string[] }) {
  const { change } = useAddress()
  if (names.length === 0) return null
  const without = Object.fromEntries(names.map((name) => [name, null]))
  return (
    <p class="notice warn">
      <Icon name="alert" /> This link has a value that does not exist any more: {names.join(', ')}.
      <button type="button" class="button small" onClick={() => change(without, true)}>
        Clear
      </button>
    </p>
  )
}

const SORT_NAMES = [
  ['oldest', 'Oldest first'],
  ['ended', 'Last finished first'],
  ['longest', 'Longest first'],
  ['shortest', 'Shortest first'],
] as const

/** The beginning of an id of a job. */
const ID_BEGIN = /^job_[a-z0-9]*$/i

interface JobSearchProps {
  readonly jobsPath?: string
  /** Words of texts are looked for among the account's own jobs. */
  readonly hasWords?: boolean
}

/** Filters by words of the texts or by the beginning of an id; a whole id leads to what it names. */
export function JobSearch({ jobsPath = '/jobs', hasWords = false }: JobSearchProps) {
  const { query, change } = useAddress()
  const { route } = useLocation()
  const [text, setText] = useState(query.words ?? query.search ?? '')
  const label = hasWords ? 'Words of the text, or a job id' : 'Beginning of a job id'
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    const place = placeOf(text)
    const given = text.trim()
    const isId = !hasWords || ID_BEGIN.test(given)
    if (place === null) change({ search: isId ? given : null, words: isId ? null : given, ...TO_START })
    else route(place.startsWith('/jobs/') ? at(jobsPath + place.slice('/jobs'.length)) : at(place))
  }
  return (
    <form class="with-icon" onSubmit={onSubmit}>
      <SearchField
        label={label}
        placeholder={hasWords ? 'Words, or an id…' : 'Job id…'}
        value={text}
        onText={setText}
      />
    </form>
  )
}

type Option = readonly [value: string, text: string]

interface ChoiceProps {
  readonly name: string
  readonly label: string
  /** The text without a choice; the label unless given. */
  readonly none?: string
  readonly options?: readonly Option[]
  readonly groups?: readonly (readonly [name: string, options: readonly Option[]])[]
  /** The choice replaces these parameters. */
  readonly clears?: Readonly<Record<string, null>>
}

/** A parameter of the address that has one of a few values. */
export function Choice({ name, label, none = label, options = [], groups = [], clears }: ChoiceProps) {
  const { query, change } = useAddress()
  return (
    <select
      class="select"
      aria-label={label}
      value={query[name] ?? ''}
      onChange={(event) => change({ ...clears, [name]: event.currentTarget.value, ...TO_START })}
    >
      <option value="">{none}</option>
      <Options options={options} />
      {groups.map(([group, some]) => (
        <optgroup key={group} label={group}>
          <Options options={some} />
        </optgroup>
      ))}
    </select>
  )
}

const Options = ({ options }: { options: readonly Option[] }) => (
  <>
    {options.map(([value, text]) => (
      <option key={value} value={value}>
        {text}
      </option>
    ))}
  </>
)

/** Takes all filters of a list away. */
export const ClearFilters = ({ onClear }: { readonly onClear: () => void }) => (
  <button type="button" class="button quiet" onClick={onClear}>
    Clear filters
  </button>
)
