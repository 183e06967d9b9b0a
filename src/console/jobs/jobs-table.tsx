import { at } from '../api/base.ts'
import { SelectAllCell, SelectCell } from '../lists/select-cells.tsx'
import { useKeptPlace } from '../lists/use-kept-place.ts'
import { useRowLetters } from '../lists/use-row-letters.ts'
import type { Selection } from '../lists/use-selection.ts'
import type { JobRowFragment } from '../operations.ts'
import { duration } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { costCell } from './cost-text.ts'
import { JobState } from './job-state.tsx'
import { useRowLink } from './use-row-link.ts'

interface JobsTableProps {
  readonly rows: readonly JobRowFragment[]
  readonly selection: Selection
  /** The list's filters, kept in the address of a job for its neighbours. */
  readonly query: string
}

export function JobsTable({ rows, selection, query }: JobsTableProps) {
  useKeptPlace()
  useRowLetters(selection.toggle)
  return (
    <div class="table-box as-cards">
      <table>
        <JobsHead selection={selection} />
        <tbody>
          {rows.map((job) => (
            <JobTableRow key={job.id} {...{ job, query, selection }} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const JobsHead = ({ selection }: { selection: Selection }) => (
  <thead>
    <tr>
      <SelectAllCell selection={selection} />
      <th>Job</th>
      <th>State</th>
      <th class="roomy">Endpoint</th>
      <th class="roomy from-840">Key</th>
      <th>Submitted</th>
      <th class="end from-900">Wait</th>
      <th class="end">Run</th>
      <th class="end from-840">Cost</th>
    </tr>
  </thead>
)

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
      <td>
        <ShortId id={job.id} href={href} />
      </td>
      <td>
        <JobState job={job} />
      </td>
      <td class="clip" title={job.endpointKey}>
        {job.endpointKey}
      </td>
      <td class="clip phone-none from-840" title={job.apiKeyName ?? undefined}>
        {job.apiKeyName ? (
          <bdi>{job.apiKeyName}</bdi>
        ) : (
          <span class="faint">{job.apiKeyId ? 'deleted key' : 'console'}</span>
        )}
      </td>
      <td>
        <Moment at={job.createdAt} />
      </td>
      <td class="end phone-none from-900">{duration(job.waitMs)}</td>
      <td class="end" data-label="Run">
        {duration(job.runMs)}
      </td>
      <td class="end from-840" data-label="Cost">
        {costCell(job)}
      </td>
    </tr>
  )
}
