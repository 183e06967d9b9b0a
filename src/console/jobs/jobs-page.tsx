import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { comebacks } from '../api/follow.ts'
import { type Loaded, useQuery } from '../api/use-query.ts'
import { BulkPlace } from '../lists/bulk-place.tsx'
import { NewerButton } from '../lists/newer-button.tsx'
import { ShorterTime } from '../lists/shorter-time.tsx'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import { type Selection, useSelection } from '../lists/use-selection.ts'
import {
  type JobRowFragment,
  type JobsFilter,
  type JobsQuery,
  jobCounts,
  jobs as jobsQuery,
  keepsTexts,
} from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { toast } from '../parts/toast.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { jobCounts as jobCountsNow } from '../shell/account-live.ts'
import { useFile } from '../shell/use-file.ts'
import { ExportMenu } from '../windows/export-menu.tsx'
import { listQuery } from './jobs-address.ts'
import { exportQuery, FILTERS, filterOf, isFiltered, orderOf } from './jobs-filter.ts'
import { JobsTable } from './jobs-table.tsx'
import { DroppedNotice, JobsToolbar, StatusTabs } from './jobs-toolbar.tsx'
import { useLiveRows } from './use-live-rows.ts'

const PAGE = 50
/** No job has this id. */
const NO_JOB = `job_${'0'.repeat(26)}`
/** So late the numbers in the tabs, and an empty list, follow the jobs. */
const COUNTS_MS = 2000
const EXPORTED = ['1h', '24h', '7d', '30d', 'this-month', 'last-month', '365d']
const NO_FILTER = Object.fromEntries([...FILTERS, 'after', 'before'].map((name) => [name, null]))

/** Reads the list of the address and the numbers of the tabs, which follow the jobs. */
function useListed() {
  const { query } = useAddress()
  // A window such as the last hour is that of the last look.
  const [looks, setLooks] = useState(0)
  const seen = [JSON.stringify(query), looks, comebacks.value]
  const { filter, dropped } = useMemo(() => filterOf(query, timeNow()), seen)
  const { statuses: _, ...anyStatus } = filter
  const orderBy = orderOf(query)
  const list = useQuery(jobsQuery, { filter, ...pageOf(query, PAGE), ...(orderBy && { orderBy }) })
  const counts = useQuery(jobCounts, { filter: anyStatus })
  useCalmReload(query.live === 'off' ? null : jobCountsNow.value, COUNTS_MS, counts.reload)
  const reload = (): void => {
    setLooks(looks + 1)
    list.reload()
    counts.reload()
  }
  return { filter, dropped, isNewestFirst: orderBy === undefined, list, counts, reload }
}

/** All jobs of the account: filtered and sorted by the address, followed live, cancelled and retried many at a time. */
export function JobsPage() {
  const { query, change } = useAddress()
  const { filter, dropped, isNewestFirst, list, counts, reload } = useListed()
  const actions = (
    <>
      <ExportMenu
        file="/jobs.csv"
        of={isFiltered(query) ? 'These jobs' : 'All jobs'}
        windows={EXPORTED}
        filter={filter}
        query={exportQuery(filter)}
      />
      <a class="button primary" href={at('/playground')}>
        <Icon name="playground" /> Speak something
      </a>
    </>
  )
  return (
    <Page title="Jobs" actions={actions} isPaused={query.live === 'off'}>
      <StatusTabs counts={counts.isOther ? null : (counts.data?.jobStats ?? null)} />
      <JobsToolbar />
      <DroppedNotice names={dropped} />
      <ShorterTime failure={list.failure} />
      {filter.words && <SearchNote />}
      <BulkPlace list="jobs" />
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ jobs }) => (
          <JobsList
            {...{ list, jobs, filter, isNewestFirst }}
            isFirst={!query.after && !query.before}
            onReload={reload}
            empty={<NoJobs isFiltered={isFiltered(query)} onClear={() => change(NO_FILTER)} />}
          />
        )}
      </Load>
    </Page>
  )
}

interface JobsListProps {
  readonly list: Loaded<JobsQuery>
  readonly jobs: JobsQuery['jobs']
  readonly filter: JobsFilter
  readonly isFirst: boolean
  readonly isNewestFirst: boolean
  readonly onReload: () => void
  /** In place of no rows. */
  readonly empty: ComponentChildren
}

function JobsList({ list, jobs, filter, isFirst, isNewestFirst, onReload, empty }: JobsListProps) {
  const { change, query } = useAddress()
  const loaded = useMemo(() => jobs.edges.map(({ node }) => node), [jobs])
  const { rows, newer } = useLiveRows(
    loaded,
    list.askedAt,
    followedBy(filter, loaded),
    query.live === 'off',
    list.reload,
  )
  // Among no rows, none that is new moves any.
  useCalmReload(rows.length === 0 && isFirst ? newer : null, COUNTS_MS, onReload)
  const ids = rows.map(({ id }) => id)
  const selection = useSelection(ids, list.isOther)
  if (rows.length === 0) return empty
  return (
    <>
      {isFirst && isNewestFirst && <NewerButton newer={newer} onReload={onReload} />}
      <JobsTable rows={rows} selection={selection} query={listQuery(query)} order={orderOf(query)} />
      <Pager pageInfo={jobs.pageInfo} onMove={(cursors) => change(cursors)}>
        {`${count(jobs.totalCount)} ${jobs.totalCount === 1 ? 'job' : 'jobs'}`}
      </Pager>
      <SelectedJobs rows={rows} selection={selection} onDone={onReload} />
    </>
  )
}

/** No subscription searches by words: the jobs that were found are followed. */
const followedBy = ({ words, ...filter }: JobsFilter, loaded: readonly { readonly id: string }[]): JobsFilter =>
  words ? { ...filter, ids: loaded.length > 0 ? loaded.map(({ id }) => id) : [NO_JOB] } : filter

/** Tells how far the search reaches. */
function SearchNote() {
  const { data } = useQuery(keepsTexts, {})
  return (
    <p class="hint search-note">
      {data?.service.keepsTexts === false
        ? 'This service does not keep the texts of jobs that have ended: only unfinished ones are found by words.'
        : 'Your words are looked for in the newest 20,000 jobs of the chosen time. Choose an earlier time to go further back.'}
    </p>
  )
}

interface SelectedJobsProps {
  readonly rows: readonly JobRowFragment[]
  readonly selection: Selection
  readonly onDone: () => void
}

/** Most visits select none: what can be done with them has a file of its own. */
function SelectedJobs(props: SelectedJobsProps) {
  const hasSome = props.selection.selected.size > 0
  const file = useFile(hasSome, () => import('./selection-bar.tsx'), noBar)
  return hasSome && file ? <file.SelectionBar {...props} /> : null
}

const noBar = (): void => toast('What can be done with selected jobs could not be loaded from the service.')

/** Accounts without jobs see this. */
function Call() {
  const file = useFile(true, () => import('../overview/call-line.tsx'), noLine)
  return file && <file.CallLine />
}

/** Without it the playground stays. */
const noLine = (): void => {}

const NoJobs = ({ isFiltered: isNarrow, onClear }: { isFiltered: boolean; onClear: () => void }) =>
  isNarrow ? (
    <Empty
      title="No job matches"
      action={
        <button type="button" class="button" onClick={onClear}>
          Clear filters
        </button>
      }
    >
      There are jobs, but none with all of these properties.
    </Empty>
  ) : (
    <Empty
      title="Nothing has been spoken yet"
      action={
        <>
          <a class="button primary" href={at('/playground')}>
            Open the playground
          </a>
          <Call />
        </>
      }
    >
      Every request becomes a job, from the playground as well as from programs, and is listed here.
    </Empty>
  )
