import { at } from '../api/base.ts'
import { SelectAllCell, SelectCell } from '../lists/select-cells.tsx'
import { useKeptPlace } from '../lists/use-kept-place.ts'
import { useRowLetters } from '../lists/use-row-letters.ts'
import type { Selection } from '../lists/use-selection.ts'
import type { JobOrder, JobRowFragment } from '../operations.ts'
import { duration } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { costCell } from './cost-text.ts'
import { JobCell } from './job-cell.tsx'
import { JobState } from './job-state.tsx'
import { useRowLink } from './use-row-link.ts'

interface JobsTableProps {
  readonly rows: readonly JobRowFragment[]
  readonly selection: Selection
  /** The list's filters, kept in the address of a job for its neighbours. */
  readonly query: string
  readonly order: JobOrder | undefined
}

export function JobsTable({ rows, selection, query, order }: JobsTableProps) {
  useKeptPlace()
  useRowLetters(selection.toggle)
  return (
    <div class="table-box as-cards">
      <table aria-label="Jobs">
        <JobsHead selection={selection} order={order} />
        <tbody>
          {rows.map((job) => (
            <JobTableRow key={job.id} {...{ job, query, selection }} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface HeadProps {
  readonly selection: Selection
  /** Undefined: newest first. */
  readonly order: JobOrder | undefined
}

const JobsHead = ({ selection, order = { field: 'CREATED_AT', direction: 'DESC' } }: HeadProps) => (
  <thead>
    <tr>
      <SelectAllCell selection={selection} />
      <th class="roomiest">Job</th>
      <th>State</th>
      <th class="end">Length</th>
      <th class="end">Cost</th>
      <th aria-sort={sortOf(order, 'CREATED_AT')}>Submitted</th>
      <th class="roomy from-840">Key</th>
      <th class="end from-900" aria-sort={sortOf(order, 'DURATION')}>
        Run
      </th>
    </tr>
  </thead>
)

const sortOf = ({ field, direction }: JobOrder, of: JobOrder['field']) =>
  field === of ? (direction === 'ASC' ? 'ascending' : 'descending') : undefined

interface RowProps {
  readonly job: JobRowFragment
  readonly query: string
  readonly selection: Selection
}

function JobTableRow({ job, query, selection }: RowProps) {
  const href = at(`/jobs/${job.id}${query}`)
  const onClick = useRowLink(href)
  const look = selection.selected.has(job.id) ? 'link-row selected' : 'link-row'
  return (
    <tr class={look} data-job={job.id} onClick={onClick}>
      <SelectCell id={job.id} selection={selection} />
      <th scope="row" class="clip">
        <JobCell job={job} href={href} />
      </th>
      <td>
        <JobState job={job} />
      </td>
      <td class="end" data-label="Length">
        {duration('audioMs' in job ? job.audioMs : null)}
      </td>
      <td class="end" data-label="Cost">
        {costCell(job)}
      </td>
      <td>
        <Moment at={job.createdAt} />
      </td>
      <td class="clip phone-none from-840" title={job.apiKeyName ?? undefined}>
        {job.apiKeyName ? (
          <bdi>{job.apiKeyName}</bdi>
        ) : (
          <span class="faint">{job.apiKeyId ? 'deleted key' : 'console'}</span>
        )}
      </td>
      <td class="end phone-none from-900">{duration(job.runMs)}</td>
    </tr>
  )
}
