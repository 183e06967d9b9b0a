import { at } from '../api/base.ts'
import { useKeptPlace } from '../lists/use-kept-place.ts'
import type { JobRowFragment } from '../operations.ts'
import { count, duration } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { useLetters } from '../shell/use-letters.ts'
import { JobState } from './job-state.tsx'
import { focusedJob, moveRowFocus } from './row-focus.ts'
import { useRowLink } from './use-row-link.ts'

interface JobsTableProps {
  readonly rows: readonly JobRowFragment[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
  /** The list's filters, kept in the address of a job for its neighbours. */
  readonly query: string
}

export function JobsTable({ rows, selected, onSelect, query }: JobsTableProps) {
  useKeptPlace()
  const isAll = rows.length > 0 && rows.every(({ id }) => selected.has(id))
  const toggle = (id: string): void => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    onSelect(next)
  }
  useLetters({
    j: () => moveRowFocus(1),
    k: () => moveRowFocus(-1),
    x: () => {
      const id = focusedJob()
      if (id !== null) toggle(id)
    },
  })
  return (
    <div class="table-box as-cards">
      <table>
        <JobsHead isAll={isAll} onAll={() => onSelect(new Set(isAll ? [] : rows.map(({ id }) => id)))} />
        <tbody>
          {rows.map((job) => (
            <JobTableRow
              key={job.id}
              job={job}
              query={query}
              isSelected={selected.has(job.id)}
              onToggle={() => toggle(job.id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const JobsHead = ({ isAll, onAll }: { isAll: boolean; onAll: () => void }) => (
  <thead>
    <tr>
      <th class="tight">
        <input type="checkbox" aria-label="Select all on this page" checked={isAll} onChange={onAll} />
      </th>
      <th>Job</th>
      <th>State</th>
      <th>Endpoint</th>
      <th class="from-840">Key</th>
      <th>Submitted</th>
      <th class="end from-840">Wait</th>
      <th class="end">Run</th>
      <th class="end from-840">Cost</th>
    </tr>
  </thead>
)

interface RowProps {
  readonly job: JobRowFragment
  readonly query: string
  readonly isSelected: boolean
  readonly onToggle: () => void
}

function JobTableRow({ job, query, isSelected, onToggle }: RowProps) {
  const href = at(`/jobs/${job.id}${query}`)
  const onClick = useRowLink(href)
  return (
    <tr class={isSelected ? 'link-row selected' : 'link-row'} data-job={job.id} onClick={onClick}>
      <td class="tight">
        <input type="checkbox" aria-label={`Select ${job.id}`} checked={isSelected} onChange={onToggle} />
      </td>
      <td>
        <ShortId id={job.id} href={href} />
      </td>
      <td>
        <JobState job={job} />
      </td>
      <td>{job.endpointKey}</td>
      <td class="phone-none from-840">
        {job.apiKeyName ? (
          <span class="clip-cell" dir="auto" title={job.apiKeyName}>
            {job.apiKeyName}
          </span>
        ) : (
          <span class="faint">{job.apiKeyId ? 'deleted key' : 'console'}</span>
        )}
      </td>
      <td>
        <Moment at={job.createdAt} />
      </td>
      <td class="end phone-none from-840">{duration(job.waitMs)}</td>
      <td class="end" data-label="Run">
        {duration(job.runMs)}
      </td>
      <td class="end from-840" data-label="Cost">
        {count(job.cost)}
      </td>
    </tr>
  )
}
